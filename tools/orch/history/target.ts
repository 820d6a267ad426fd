/** What the commands about revisions ask for: one object, by what its kind is called and its name. */
import type { DynamicObject, Key, Resource } from '../../../runtime/client/client.ts'
import {
  type ObjectHistory,
  type ObjectRevision,
  objectAt,
  objectHistory,
  revisionAt,
} from '../../../runtime/history/history.ts'
import { isStatus } from '../../../runtime/kernel/errors/status-error.ts'
import type { ClientLine } from '../client-command.ts'

/** One object of a server. */
export interface Target {
  readonly resource: Resource<DynamicObject>
  readonly key: Key
}

/** Flags that say what is asked about, in place of those of other commands. */
export const targetHelp = `      --context NAME     the context of the orchconfig (default: its current one)
  -n, --namespace NS     the namespace of the object (default: "default")
      --orchconfig FILE  how to reach the server (default: ORCHCONFIG, KUBECONFIG, ~/.orch/config)
  -h, --help             show this help
`

/** The object that KIND and NAME name. @throws StatusError for a kind that the server does not have. */
export async function targetOf(
  { connected, values }: ClientLine,
  [kind = '', name = '']: readonly string[],
): Promise<Target> {
  const resource = await (await connected()).dynamic(kind)
  const namespace = String(values.namespace) || 'default'
  const key = resource.kind.scope === 'Cluster' ? { name } : { namespace, name }
  return { resource, key }
}

/** The version that was there at a revision or a time. @throws Error that says since when the server remembers. */
export async function versionAt(
  { resource, key }: Target,
  when: string,
): Promise<DynamicObject | undefined> {
  if (/^\d+$/.test(when)) {
    return objectAt(resource, key, when).catch(async (error: unknown) => {
      if (!isStatus(error, 'Expired')) throw error
      throw new Error(`revision ${when} is compacted: ${compacted}`)
    })
  }
  return (await revisionAtTime({ resource, key }, when))?.object
}

/** The version that was there at a time, by what its managers say of when they wrote. */
async function revisionAtTime(
  { resource, key }: Target,
  when: string,
): Promise<ObjectRevision<DynamicObject> | undefined> {
  const time = Date.parse(when)
  if (Number.isNaN(time)) {
    throw new Error(`${when}: has to be a revision, or a time such as 2026-01-31T12:00:00Z`)
  }
  const history = await objectHistory(resource, key)
  const found = revisionAt(history, time)
  if (found?.is === 'deleted') return undefined
  if (found !== undefined || history.oldestKept === undefined) return found
  throw new Error(`what was at ${when} is compacted: ${oldestLine(history)}`)
}

/** How more would be kept. */
const compacted =
  'a server forgets revisions after a while; one of ours keeps more with --watch-history and --watch-history-size'

/** Since when the server remembers; empty where it remembers everything about the object. */
export function oldestLine({ oldestKept }: Pick<ObjectHistory, 'oldestKept'>): string {
  return oldestKept === undefined
    ? ''
    : `the oldest revision kept is ${oldestKept}; ${compacted.slice(compacted.indexOf('one of'))}`
}

/** A value in a line of a diff. */
export function valueText(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 200 ? `${text.slice(0, 197)}...` : text
}
