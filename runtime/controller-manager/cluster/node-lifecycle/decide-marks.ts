/** What a node is marked with, by what it says: taints that keep pods from it, and its labels under their former names. */
import type { Node, Taint } from '../../../../generated/apis/core/v1/node.ts'
import { timestamp } from '../../../kernel/async/clock.ts'
import { evictionTaint, isEvictionTaint } from './decide-nodes.ts'
import { readyOf } from './node-health.ts'

/** What is to be written of a node; undefined is left as it is. */
export interface NodeMarks {
  readonly taints: readonly Taint[] | undefined
  /** Labels that are added or changed. */
  readonly labels: Readonly<Record<string, string>> | undefined
}

/** For which status of a condition a node has which taint. */
const taintsOfConditions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: 'not-ready', Unknown: 'unreachable' },
  MemoryPressure: { True: 'memory-pressure' },
  DiskPressure: { True: 'disk-pressure' },
  NetworkUnavailable: { True: 'network-unavailable' },
  PIDPressure: { True: 'pid-pressure' },
}

const unschedulable = 'unschedulable'

/** The taints that are ours to give and to take, by the last part of their keys. */
const ownTaints = [...Object.values(taintsOfConditions).flatMap(Object.values), unschedulable]

/** What is to be written of a node at a moment; undefined if it is marked as it should be. */
export function decideMarks(node: Node, domain: string, now: number): NodeMarks | undefined {
  const taints = decideTaints(node, domain, now)
  const labels = decideLabels(node, domain)
  return taints === undefined && labels === undefined ? undefined : { taints, labels }
}

/** Those with NoSchedule follow the conditions; those with NoExecute only go, or become the other one: they are given by the pace of zones. */
function decideTaints(node: Node, domain: string, now: number): readonly Taint[] | undefined {
  const present = node.spec?.taints ?? []
  const wanted = wantedKeys(node).map((key) => `node.${domain}/${key}`)
  const own = ownTaints.map((key) => `node.${domain}/${key}`)
  const ready = readyOf(node)
  const eviction = evictionTaint(node, domain)
  const isSurplus = (taint: Taint): boolean => {
    const { key, effect } = taint
    if (effect === 'NoSchedule') return own.includes(key) && !wanted.includes(key)
    return ready !== undefined && isEvictionTaint(taint, domain) && key !== eviction
  }
  const has = (taint: Pick<Taint, 'key' | 'effect'>) =>
    present.some(({ key, effect }) => key === taint.key && effect === taint.effect)
  const kept = present.filter((taint) => !isSurplus(taint))
  const isReplaced = present.some((one) => one.effect === 'NoExecute' && isSurplus(one))
  const added = [
    ...wanted.map((key) => ({ key, effect: 'NoSchedule' as const })),
    ...(eviction !== undefined && isReplaced
      ? [{ key: eviction, effect: 'NoExecute' as const }]
      : []),
  ].filter((taint) => !has(taint))
  if (added.length === 0 && kept.length === present.length) return undefined
  const timeAdded = timestamp(now)
  return [...kept, ...added.map((taint) => ({ ...taint, timeAdded }))]
}

function wantedKeys({ spec, status }: Node): readonly string[] {
  const keys = (status?.conditions ?? []).flatMap(
    (one) => taintsOfConditions[one.type]?.[one.status] ?? [],
  )
  return spec?.unschedulable === true ? [...keys, unschedulable] : keys
}

/** Labels that clients still read under their former names. */
function decideLabels(
  { metadata: { labels = {} } }: Node,
  domain: string,
): Readonly<Record<string, string>> | undefined {
  const wrong = ['os', 'arch'].flatMap((word) => {
    const value = labels[`${domain}/${word}`]
    const former = `beta.${domain}/${word}`
    return value === undefined || labels[former] === value ? [] : [[former, value] as const]
  })
  return wrong.length === 0 ? undefined : Object.fromEntries(wrong)
}
