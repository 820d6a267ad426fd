import { isStatus } from '../../kernel/errors/status-error.ts'

/** True for the refusal of what would be made in a namespace that goes: no other attempt would help. */
export function isNamespaceTerminating(error: unknown): boolean {
  const { causes = [] } = (isStatus(error, 'Forbidden') && error.details) || {}
  return causes.some(({ reason }) => reason === 'NamespaceTerminating')
}
