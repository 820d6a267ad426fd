import { isStatus } from '../../kernel/errors/status-error.ts'

const lostRace = ['AlreadyExists', 'Conflict', 'NotFound'] as const

/**
 * Waits for a write. One that came too late, because another writer was first, is no failure: the other write wakes the
 * controller again.
 */
export async function ignoreLostRace(write: Promise<unknown>): Promise<void> {
  try {
    await write
  } catch (error) {
    if (!isLostRace(error)) throw error
  }
}

/** True for the refusal of a write that came too late. */
export function isLostRace(error: unknown): boolean {
  return lostRace.some((reason) => isStatus(error, reason))
}
