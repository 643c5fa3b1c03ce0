"""Every format, decoded from tiny files made up for it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tiny_sets import (
    CSV,
    REVIEWS,
    TEST,
    TRAIN,
    idx_bytes,
    images,
    tar,
    write_batches,
    write_idx,
    write_reviews,
    write_sheets,
)

from tensorstone.data.content import checksum
from tensorstone.data.formats import cifar, hourly, idx, reviews
from tensorstone.data.refused import DataRefused

MOST = 10**6


@pytest.mark.parametrize("packed", [True, False])
def test_idx_packed_or_not(tmp_path: Path, packed: bool) -> None:
    write_idx(tmp_path, packed)
    arrays = idx.decode(tmp_path, MOST)
    x, y = images((28, 28), TRAIN, seed=0)
    assert np.array_equal(arrays["train_x"], x[:, None])
    assert np.array_equal(arrays["train_y"], y)
    assert arrays["train_y"].dtype == np.int64
    assert arrays["test_x"].shape == (TEST, 1, 28, 28)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "not an idx file"),
        (b"GIF89a", "not an idx file"),
        (idx_bytes(np.zeros((2, 3)))[:7], "ends in its header"),
        (idx_bytes(np.zeros((2, 3)))[:-1], "holds 5 bytes, and its header promises 6"),
        (idx_bytes(np.zeros((2, 3))) + b"x", "holds 7 bytes, and its header promises 6"),
    ],
)
def test_a_damaged_idx_file_is_refused(content: bytes, reason: str) -> None:
    with pytest.raises(DataRefused, match=reason):
        idx.parse(content, "train")


def test_cifar_s_two_forms_have_one_content(tmp_path: Path) -> None:
    sheets, batches = tmp_path / "sheets", tmp_path / "batches"
    sheets.mkdir()
    batches.mkdir()
    train, labels = write_sheets(sheets)
    write_batches(batches)
    one, other = cifar.decode(sheets, MOST), cifar.decode(batches, MOST)
    assert np.array_equal(one["train_x"], train)
    assert np.array_equal(one["train_y"], labels)
    assert checksum(one) == checksum(other)


def test_a_sheet_of_another_shape_is_refused_before_its_pixels_are_read(tmp_path: Path) -> None:
    from PIL import Image

    write_sheets(tmp_path)
    Image.new("RGB", (512, 3)).save(tmp_path / "data_batch_2.png")
    with pytest.raises(DataRefused, match=r"data_batch_2.png is 512×3 RGB"):
        cifar.decode(tmp_path, MOST)


def test_labels_must_be_as_many_as_images(tmp_path: Path) -> None:
    write_sheets(tmp_path)
    (tmp_path / "train_lables.json").write_text("[1, 2]")
    with pytest.raises(DataRefused, match="2 labels for 15 images"):
        cifar.decode(tmp_path, MOST)


@pytest.mark.parametrize(("name", "mode"), list(zip(reviews.FILES, ("w:gz", "w:xz"), strict=True)))
def test_reviews_are_ordered_by_label_and_file_name(tmp_path: Path, name: str, mode: str) -> None:
    write_reviews(tmp_path, name, mode)
    arrays = reviews.decode(tmp_path, MOST)
    order = [f"train/{place}.txt" for place in ("neg/0_1", "neg/10_2", "neg/9_2", "pos/0_9")]
    assert list(reviews.texts(arrays, "train")) == [REVIEWS[place] for place in order]
    assert arrays["train_y"].tolist() == [0, 0, 0, 1]
    assert list(reviews.texts(arrays, "test")) == ["so bad", "good enough"]


def test_half_of_the_reviews_is_not_the_set(tmp_path: Path) -> None:
    files = {f"aclImdb/train/{opinion}/0_1.txt": b"text" for opinion in ("neg", "pos")}
    tar(tmp_path / reviews.FILES[0], files)
    with pytest.raises(DataRefused, match="no reviews in test/neg"):
        reviews.decode(tmp_path, MOST)


def test_a_table_with_gaps(tmp_path: Path) -> None:
    (tmp_path / hourly.FILES[0]).write_text(CSV)
    arrays = hourly.decode(tmp_path, MOST)
    assert arrays["when"].tolist() == [[2010, 1, 1, hour] for hour in range(3)]
    assert np.isnan(arrays["pm25"]).tolist() == [True, False, False]
    assert arrays["pm25"][1:].tolist() == [129, 148]
    assert arrays["weather"][1].tolist() == [-20.5, -12, 1020, 4.92, 1, 2]
    assert arrays["wind"].tolist() == [1, 3, 2]


def test_another_table_is_refused(tmp_path: Path) -> None:
    (tmp_path / hourly.FILES[0]).write_text("a,b\n1,2\n")
    with pytest.raises(DataRefused, match="not the table"):
        hourly.decode(tmp_path, MOST)


def test_the_checksum_sees_names_types_shapes_and_bytes() -> None:
    ones = np.ones((2, 3), np.int32)
    alike = [{"a": ones}, {"a": np.asfortranarray(ones)}]
    other = [{"b": ones}, {"a": ones.T}, {"a": ones.view(np.uint32)}, {"a": ones, "b": ones}]
    assert checksum(alike[0]) == checksum(alike[1])
    assert len({checksum(arrays) for arrays in (alike[0], *other)}) == 1 + len(other)
