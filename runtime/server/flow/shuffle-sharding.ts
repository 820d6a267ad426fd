import { createHash } from 'node:crypto'

/**
 * Shuffle sharding: the queues that one flow may use, as a hand dealt from all queues by the flow's hash. Two flows rarely
 * get the same hand, so one that floods its own queues leaves most others a free one.
 */
export function dealHand(flow: string, queues: number, handSize: number): readonly number[] {
  const size = Math.min(handSize, queues)
  let rest = createHash('sha256').update(flow).digest().readBigUInt64BE(0)
  const hand: number[] = []
  for (let dealt = 0; dealt < size; dealt++) {
    const left = BigInt(queues - dealt)
    let card = Number(rest % left)
    rest /= left
    for (const taken of [...hand].sort((a, b) => a - b)) if (card >= taken) card++
    hand.push(card)
  }
  return hand
}
