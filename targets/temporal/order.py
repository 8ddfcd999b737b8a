"""The agent as a workflow: it asks the model, runs what that asks for, and asks again.

* agents as workflows, with the model and the tools as activities:
  https://docs.temporal.io/ai/cookbook/agentic-loop-tool-call-openai-python
* a human who decides: https://docs.temporal.io/ai/cookbook/human-in-the-loop-python
* signals and updates: https://docs.temporal.io/develop/python/workflows/message-passing
* an agent within an agent is a child workflow:
  https://docs.temporal.io/develop/python/workflows/child-workflows
"""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

from temporalio import workflow
from temporalio.common import RetryPolicy

with workflow.unsafe.imports_passed_through():
    from activities import Question
    from settings import REQUEST, Setup

REJECTED = "A human has rejected this payment."


class _Agent:
    """What the two workflows share: the loop, and the human who is asked."""

    def __init__(self) -> None:
        self.setup = Setup()
        self.messages: list[dict[str, Any]] = []
        self.waiting: list[str] = []
        self.decided: dict[str, str] = {}
        self.busy = 0
        self.over = False

    async def turn(self) -> None:
        """Ask and act, until the model asks for nothing more."""
        while True:
            said = await self.do(
                "ask_model", Question(self.setup.model, self.messages, self.wishes())
            )
            self.messages.append(said)
            if not said["calls"]:
                return
            # All calls of one turn side by side.
            self.messages += await asyncio.gather(*map(self.answer, said["calls"]))

    async def answer(self, call: dict[str, Any]) -> dict[str, Any]:
        """Run one call, once a human has agreed where one is to be asked."""
        gated = bool(self.setup.approval) and call["name"] == "charge_card"
        if gated and not await self.agreed(call["payment"]["effect"]):
            return {"role": "tool", "id": call["id"], "content": REJECTED}
        content = await self.do(call["name"], call["payment"])
        return {"role": "tool", "id": call["id"], "content": content}

    async def agreed(self, effect: str) -> bool:
        """Wait for a human, as long as it takes."""
        if self.setup.approval.endswith("after-step"):
            await self.do("reserve_stock")
        self.waiting.append(effect)
        await workflow.wait_condition(lambda: effect in self.decided)
        self.busy -= 1
        return self.decided[effect] == "approve"

    async def do(self, name: str, *arguments: Any) -> Any:
        """Run an activity, tried again without limit unless the run is told otherwise."""
        self.busy += 1
        try:
            return await workflow.execute_activity(
                name,
                args=arguments,
                start_to_close_timeout=timedelta(minutes=2),
                heartbeat_timeout=timedelta(seconds=2),
                retry_policy=RetryPolicy(
                    initial_interval=timedelta(milliseconds=100),
                    maximum_interval=timedelta(seconds=1),
                    maximum_attempts=self.setup.attempts,
                ),
            )
        finally:
            self.busy -= 1

    def wishes(self) -> list[str]:
        """The tools that the model will ask for."""
        if self.setup.batch:
            return [f"charge_card_{number}" for number in range(1, self.setup.batch + 1)]
        shapes = {"two": ["charge_card_1", "charge_card_2"]}
        shapes["sibling"] = ["charge_card", "notify_shop"]
        return shapes.get(self.setup.approval, ["charge_card"])

    def decide(self, effect: str, decision: str) -> None:
        """What a human says; the first word about a call that waits is the one that counts."""
        if effect in self.waiting:
            self.waiting.remove(effect)
            self.decided[effect] = decision
            self.busy += 1  # It has something to do again.

    async def ended(self) -> None:
        """Let everybody who waits for an answer have it, before the workflow ends."""
        self.over = True
        await workflow.wait_condition(workflow.all_handlers_finished)

    @workflow.signal
    def decided_by_signal(self, effect: str, decision: str) -> None:
        """A decision; nobody waits for it to arrive."""
        self.decide(effect, decision)

    @workflow.update
    async def decided_by_update(self, effect: str, decision: str) -> None:
        """A decision that has arrived when this returns."""
        self.decide(effect, decision)

    @workflow.update
    async def paused(self) -> list[str]:
        """The calls that wait, as soon as nothing else is to be done; none when all is over."""
        await workflow.wait_condition(lambda: self.over or bool(self.waiting and not self.busy))
        return self.waiting


@workflow.defn
class Desk(_Agent):
    """An agent that the order's agent hands its work to."""

    @workflow.run
    async def run(self, setup: Setup, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The whole loop; gives the conversation."""
        self.setup, self.messages = setup, messages
        await self.turn()
        await self.ended()
        return self.messages


@workflow.defn
class Order(_Agent):
    """The order: a conversation, and the word to the shop at its end."""

    def __init__(self) -> None:
        super().__init__()
        self.inbox: list[str] = []
        self.turns = 0
        self.heard = 0
        self.desk_id = ""

    @workflow.run
    async def run(self, setup: Setup) -> str:
        """Take the order to its end, and stay for what the user says then, if that is wanted."""
        self.setup = setup
        self.messages = [{"role": "user", "content": REQUEST}]
        if setup.approval.startswith("nested"):
            desk = await workflow.start_child_workflow(
                Desk.run,
                args=[setup, self.messages],
                id=f"{workflow.info().workflow_id}-desk",
            )
            self.desk_id = desk.id
            self.messages = await desk
        else:
            await self.turn()
        await self.do("close_order")
        self.turns += 1
        while setup.chat:
            await workflow.wait_condition(lambda: bool(self.inbox))
            self.messages.append({"role": "user", "content": self.inbox.pop(0)})
            await self.turn()
            await self.do("end_turn")
            self.turns += 1
        await self.ended()
        return str(self.messages[-1]["content"])

    @workflow.update
    async def desk(self) -> str:
        """The id of the agent within, once it has begun."""
        await workflow.wait_condition(lambda: bool(self.desk_id))
        return self.desk_id

    @workflow.update
    async def end_of_turn(self, number: int) -> None:
        """Return when so many turns have come to their end."""
        await workflow.wait_condition(lambda: self.turns >= number)

    @workflow.update
    async def say(self, text: str) -> None:
        """Something new from the user; returns when it was answered."""
        self.heard += 1
        number = 1 + self.heard
        self.inbox.append(text)
        await workflow.wait_condition(lambda: self.turns >= number)
