#!/bin/sh
# An agent in POSIX sh, made ready for `plugpull --agent`: any language will do.
#
# It works through a list of steps and notes every finished step in a journal. A run that was cut
# short goes on after the last step noted. A step that was finished but not yet noted runs again,
# so what it does outside should carry a key that is the same the second time.
#
#     plugpull --agent "sh examples/shell_agent/agent.sh no-key"
#     plugpull --agent "sh examples/shell_agent/agent.sh stable-key"
set -eu

kind=$1
verb=$2
journal=$PLUGPULL_WORKDIR/journal.txt

# Where a real agent would call the payment service. The call returns once the service has answered.
report_effect() {
    "$PLUGPULL_PYTHON" -m plugpull.effects "$@"
}

charge_card() {
    case $kind in
        no-key) report_effect charge_card ;;
        stable-key) report_effect charge_card --key order-42 ;;
        *) echo "unknown kind of tool: $kind" >&2 && exit 2 ;;
    esac
}

send_receipt() {
    report_effect send_receipt --key order-42
}

work() {
    for step in charge_card send_receipt; do
        if ! grep -qx "$step" "$journal"; then
            "$step"
            echo "$step" >>"$journal"
        fi
    done
}

case $verb in
    start) : >"$journal" && work ;;
    resume) work ;;
    *) echo "usage: agent.sh no-key|stable-key start|resume" >&2 && exit 2 ;;
esac
