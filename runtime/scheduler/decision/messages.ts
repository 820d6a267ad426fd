import type { Rejection } from '../filters/rejection.ts'
import type { Unfit } from './schedule.ts'

/** Why there is no node, in the words that users are told; `preemption` says what came of looking for pods that could go. */
export function unfitMessage({ nodes, general, rejections }: Unfit, preemption: string): string {
  const said =
    general === undefined ? countedReasons(rejections.values()) : general.reasons.join(', ')
  const parts = [said === '' ? '' : ` ${said}.`, preemption === '' ? '' : ` ${preemption}`]
  return `0/${nodes} nodes are available:${parts.join('')}`
}

/** Each reason with the number of nodes that it holds for, in the order of their texts. */
export function countedReasons(rejections: Iterable<Pick<Rejection, 'reasons'>>): string {
  const counts = new Map<string, number>()
  for (const { reasons } of rejections) {
    for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
  const texts = [...counts].map(([reason, count]) => `${count} ${reason}`)
  return texts.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))).join(', ')
}
