"""The shipped Pydantic AI target in an application that stores nothing until the run has ended."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

TARGET = Path(__file__).resolve().parents[2] / "targets" / "pydantic-ai" / "agent.py"

if __name__ == "__main__":
    sys.path.insert(0, str(TARGET.parent))
    spec = importlib.util.spec_from_file_location("pydantic_ai_target", TARGET)
    assert spec is not None
    assert spec.loader is not None
    target: Any = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = target
    spec.loader.exec_module(target)
    history: Any = sys.modules["history"]
    shipped_keep = history.FileBook.keep

    async def keep(book: Any, messages: Any) -> None:
        """Only a history that ends on the model's words is stored."""
        if history.ended(messages):
            await shipped_keep(book, messages)

    history.FileBook.keep = keep
    target.main(sys.argv[-1])
