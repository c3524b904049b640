"""Write the JSON Schemas that editors use for config/*.yaml, from the typed models."""

import json
from pathlib import Path

from dpbandits.reproduction.pipeline.config import PaperConfig, RunConfig

HERE = Path(__file__).resolve().parent
MODELS = {"paper.schema.json": PaperConfig, "config.schema.json": RunConfig}


def schema(name: str) -> str:
    return json.dumps(MODELS[name].model_json_schema(), indent=1, sort_keys=True) + "\n"


if __name__ == "__main__":
    for name in MODELS:
        (HERE / name).write_text(schema(name))
