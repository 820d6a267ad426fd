/** The generation after one, which wraps around as a number of 64 bits does: a sender may have chosen the last of them. */
export function nextGeneration(generation: number): number {
  if (generation < Number.MAX_SAFE_INTEGER && typeof generation === 'number') return generation + 1
  const next = BigInt.asIntN(64, BigInt(generation) + 1n)
  const plain = Number(next)
  return Number.isSafeInteger(plain) ? plain : (next as unknown as number)
}
