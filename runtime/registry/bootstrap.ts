import { isStatus } from '../kernel/status.ts'
import { namespaceKind } from './context.ts'
import type { Registry } from './registry.ts'

/** Makes the namespaces that every client may rely on, where they are missing. */
export async function bootstrap(registry: Registry): Promise<void> {
  const kind = namespaceKind(registry.tree)
  if (kind === undefined) return
  const { prefix } = registry.tree.platform
  const names = ['default', `${prefix}-system`, `${prefix}-public`, `${prefix}-node-lease`]
  const options = {
    dryRun: false,
    fieldValidation: 'Ignore',
    manager: `${prefix}-apiserver`,
  } as const
  await Promise.all(
    names.map(async (name) => {
      try {
        await registry.create({ kind }, { value: { metadata: { name } }, duplicates: [] }, options)
      } catch (error) {
        if (!isStatus(error, 'AlreadyExists')) throw error
      }
    }),
  )
}
