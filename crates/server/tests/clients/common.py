"""Where the server is, and what the tests share. They hold for a small model: shapes are checked, never meaning."""
import os

URL = os.environ.get("RECKON_URL", "http://127.0.0.1:11435")
KEYED_URL = os.environ.get("RECKON_KEYED_URL")
KEY = os.environ.get("RECKON_KEY")
MODEL = os.environ.get("RECKON_MODEL", "smollm2-135m")

SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "maxLength": 12},
        "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
        "days": {"type": "integer", "minimum": 1, "maximum": 9},
    },
    "required": ["city", "unit", "days"],
    "additionalProperties": False,
}
WEATHER = {
    "type": "function",
    "function": {"name": "get_weather", "description": "The weather of a city", "parameters": SCHEMA},
}
CLOCK = {
    "type": "function",
    "function": {
        "name": "get_time",
        "description": "The time of a zone",
        "parameters": {
            "type": "object",
            "properties": {"zone": {"type": "string", "enum": ["UTC", "CET"]}},
            "required": ["zone"],
            "additionalProperties": False,
        },
    },
}
QUESTION = [{"role": "user", "content": "What is the weather in Paris?"}]


def holds(arguments):
    """Whether arguments, or an answer, are as SCHEMA says."""
    assert isinstance(arguments, dict), arguments
    assert set(arguments) == {"city", "unit", "days"}, arguments
    assert isinstance(arguments["city"], str) and len(arguments["city"]) <= 12, arguments
    assert arguments["unit"] in ("celsius", "fahrenheit"), arguments
    days = arguments["days"]
    assert isinstance(days, int) and not isinstance(days, bool) and 1 <= days <= 9, arguments
