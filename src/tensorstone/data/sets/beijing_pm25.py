"""Beijing's air: pm2.5 and weather, hour by hour from 2010 to 2014; 2,067 hours lack pm2.5."""

from tensorstone.data.formats import hourly
from tensorstone.data.sets.dataset import DataSet
from tensorstone.data.sources.download import Download

BEIJING_PM25 = DataSet(
    name="beijing-pm25",
    title="Air and weather of Beijing by the hour",
    homepage="https://archive.ics.uci.edu/dataset/381/beijing+pm2+5+data",
    checksum="c0b0fc7c7be4155d2c68fc7dc35a336c1a9b04ce7919f4dec92574516963a776",
    kept_bytes=4_207_104,
    most=16_000_000,
    decode=hourly.decode,
    sources=(
        Download(
            "https://archive.ics.uci.edu/ml/machine-learning-databases/00381/",
            hourly.FILES[:1],
            2_010_494,
        ),
    ),
)
