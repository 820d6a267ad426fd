/**
 * The first program of a container: a shell that hands TERM on, waits, and writes how the program ended, so that this is known
 * whatever became of the agent. All that comes from a pod comes as arguments. Descriptors: 1 and 4 are the output of the program, 2 is for what goes
 * wrong before it starts, 3 takes the exit code, 5 is closed when it starts, 6 is the input of the program, which a shell
 * would not give to what it starts in the background.
 */

const waits = `s=; p=
trap 's=1; [ -n "$p" ] && kill -TERM "$p"' TERM
exec 6<&0
"$@" <&6 2>&4 3>&- 4>&- 5>&- 6<&- &
p=$!
exec 2>/dev/null 5>&- 6<&- </dev/null
[ -n "$s" ] && kill -TERM "$p"
wait "$p"; r=$?
while kill -0 "$p"; do wait "$p"; r=$?; done
printf '%s' "$r" >&3`

/** At the level of processes. Arguments: the working folder, the command. */
export const processScript = `cd -- "$1" && shift || exit 125
printf ok >&5
${waits}`

/**
 * At the level of namespaces, as its first process. Arguments: the host name, the table of mounts, the root, the working folder, pairs of a number and the place
 * where what has that number is mounted, an empty word, the command.
 */
export const namespaceScript = `hostname "$1"
mount -a -T "$2" && cd -- "$3" || exit 125
folder=$4
shift 4
while [ -n "$1" ]; do
[ "$(stat -Lc %d:%i -- "./$2")" = "$1" ] || { echo "$2: what is to be mounted there was replaced" >&2; exit 125; }
shift 2
done
pivot_root . . && umount -l . && cd -- "$folder" && shift || exit 125
printf ok >&5
${waits}`

/**
 * Comes before the others: the process joins its control groups, and is the sooner ended where memory runs out. Arguments: how much sooner, files
 * of groups up to an empty word, the command.
 */
export const groupScript = `[ "$1" -gt 0 ] && echo "$1" > /proc/$$/oom_score_adj
while [ -n "$2" ]; do
echo $$ > "$2" || exit 125
shift
done
shift 2
exec "$@"`
