"""The harmless `os` under the name that Python's import system asks for."""

from os import *
from os import _exit
