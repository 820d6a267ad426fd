import { isStatus } from '../../kernel/errors/status-error.ts'
import type { WriteResult } from '../contract/contract.ts'

/**
 * Updates the object that is there, else creates it; an object that comes or goes in between is tried again.
 *
 * @throws whatever `create` throws but AlreadyExists.
 */
export async function updateOrCreate(
  update: () => Promise<WriteResult | undefined>,
  create: () => Promise<WriteResult>,
): Promise<WriteResult> {
  for (;;) {
    const updated = await update()
    if (updated !== undefined) return updated
    try {
      return await create()
    } catch (error) {
      if (!isStatus(error, 'AlreadyExists')) throw error
    }
  }
}
