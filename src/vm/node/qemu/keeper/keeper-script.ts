import { KEEPER_MONITOR } from '../command/qemu-command.ts';
import { type IsolatedLaunch, quote } from '../isolation/isolated-launch.ts';

/** How long a guest may take to shut down when its keeper is asked to terminate, in steps of 2 seconds. */
const SHUTDOWN_STEPS = 30;
const MONITOR = KEEPER_MONITOR;
/** Exit status that a keeper records if the guest shut down on its request. */
export const STOPPED_BY_KEEPER = 'stopped';

/**
 * Runs in the namespaces of a machine, and becomes QEMU. It goes no further if the waiter is gone by then: QEMU would
 * not die with it.
 */
const BECOME_QEMU = `[ "$PPID" = "$0" ] || exit 75; exec "$@" 7>&-`;

/**
 * Presses the power button until the guest has shut down, which ends QEMU, or its time is up. A guest that was never
 * resumed does not react, as it must not run.
 */
const SHUT_DOWN = `
talk() { printf '%s\\n' "$@" 1<>${MONITOR}.in; }
talk '{"execute":"qmp_capabilities"}' '{"execute":"set-action","arguments":{"shutdown":"poweroff"}}'
step=0
while [ $step -lt ${SHUTDOWN_STEPS} ]; do
  talk '{"execute":"system_powerdown"}'; sleep 2; step=$((step + 1))
done
talk '{"execute":"quit"}'
`;

/**
 * Returns the script that waits for QEMU and records its exit code. QEMU dies with this process, and this process with
 * the guard, so that no machine outlives what enforces its deadline. A FIFO reports when the namespaces exist, and
 * another one ends slirp4netns with this process. SIGTERM presses the power button of the guest until it shuts down.
 */
function waiterScript({ enter, setUp, drop, outbound, owner }: IsolatedLaunch): string {
  const become = `exec ${words(drop)} -- /bin/sh -c ${quote(BECOME_QEMU)} "$@"`;
  const inside = ['set -e', ...setUp, 'echo up >&7', become].join('\n');
  return `
mkfifo -m 600 ${MONITOR}.in ${MONITOR}.out${owner === undefined ? '' : ` && chown ${owner} ${MONITOR}.in ${MONITOR}.out`}
mkfifo -m 600 up.fifo life.fifo && exec 7<>up.fifo 8<up.fifo 6<>life.fifo 5<life.fifo; rm -f up.fifo life.fifo
${words(enter)} /bin/sh -c ${quote(inside)} vimana-setup $$ "$@" 5<&- 6>&- 8<&- 9>&- </dev/null >>qemu.log 2>&1 & qemu=$!
exec 7>&-
printf '%s\\n' "$qemu" >qemu.tmp && mv qemu.tmp qemu.pid
shut_down() {
  [ -n "$stopper" ] || { setpriv --pdeathsig KILL -- /bin/sh -c ${quote(SHUT_DOWN)} 5<&- 6>&- 8<&- 9>&- & stopper=$!; }
}
trap shut_down TERM
read -r up <&8
${outbound === undefined ? '' : startOutbound(outbound)}exec 5<&- 8<&-
wait $qemu; code=$?
while kill -0 $qemu 2>/dev/null; do wait $qemu; code=$?; done
[ -z "$outbound" ] || kill -KILL $outbound 2>/dev/null
if [ -n "$stopper" ]; then kill $stopper 2>/dev/null; [ $code != 0 ] || code=${STOPPED_BY_KEEPER}; fi
printf '%s\\n' "$code" >exit.tmp && mv exit.tmp exit
kill -USR1 $PPID
`;
}

function startOutbound(outbound: readonly string[]): string {
  const command = words(['setpriv', '--pdeathsig=KILL', '--', ...outbound, '--exit-fd=5']);
  return `[ -z "$up" ] || { ${command} $qemu tap0 6>&- 8<&- 9>&- </dev/null >>outbound.log 2>&1 & outbound=$!; }\n`;
}

/**
 * Keeper of one machine, which runs in the machine directory and outlives the node agent. It holds the lock, so that a
 * machine never runs twice, enforces the deadline (seconds of /proc/uptime, which counts time asleep, or "never"), and
 * bounds the logs. Its first argument is the waiter, the second one the number of cgroups to join,
 * which follow, and the others are QEMU's command line.
 */
const GUARD = `
umask 077
ulimit -c 0
exec 9>>lock
flock -n 9 || exit 75
[ ! -e exit ] || exit 0
waiter=$1; groups=$2; shift 2
while [ "$groups" -gt 0 ]; do echo $$ >"$1/cgroup.procs"; shift; groups=$((groups - 1)); done
setpriv --pdeathsig KILL -- /bin/sh -c "$waiter" vimana-waiter "$@" & child=$!
printf '%s\\n' "$$" >pid.tmp && mv pid.tmp pid
trap 'kill -TERM $child 2>/dev/null' TERM INT HUP
trap 'kill $sleeper 2>/dev/null; exit 0' USR1
while kill -0 $child 2>/dev/null; do
  every=10; deadline=
  read -r deadline <deadline
  if [ "$deadline" != never ]; then
    case $deadline in ''|*[!0-9]*) deadline=0 ;; esac
    every=1
    read -r now rest </proc/uptime
    if [ "\${now%%.*}" -ge "$deadline" ]; then
      printf 'fenced\\n' >exit.tmp && mv exit.tmp exit
      kill -KILL $child
    fi
  fi
  for log in serial qemu outbound; do
    [ "$(stat -c %s $log.log 2>/dev/null || echo 0)" -gt 16777216 ] || continue
    tail -c 1048576 $log.log >$log.old; : >$log.log
  done
  setpriv --pdeathsig KILL -- sleep $every 9>&- & sleeper=$!
  wait $sleeper
done
kill $sleeper 2>/dev/null
exit 0
`;

/** Command of a keeper, and how it runs. */
export interface KeeperLaunch extends IsolatedLaunch {
  readonly qemu: readonly string[];
  /** Directories of the cgroups that keeper and QEMU join. */
  readonly cgroups: readonly string[];
}

/** Returns the command that runs QEMU under a keeper. Its working directory must be the machine directory. */
export function keeperCommand(launch: KeeperLaunch): { readonly file: string; readonly args: readonly string[] } {
  const { qemu, cgroups } = launch;
  const args = ['-c', GUARD, 'vimana-keeper', waiterScript(launch), `${cgroups.length}`, ...cgroups, ...qemu];
  return { file: '/bin/sh', args };
}

const words = (command: readonly string[]) => command.map(quote).join(' ');
