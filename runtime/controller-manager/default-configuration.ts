import type { OrchControllerManagerConfiguration } from '../../generated/config/manager/v1alpha1.ts'
import { createReport } from '../kernel/validation/field-error.ts'

/** The configuration of a controller manager that was told nothing. */
export async function defaultConfiguration(): Promise<OrchControllerManagerConfiguration> {
  const { orchControllerManagerConfiguration: kind } = await import(
    '../../generated/config/manager/v1alpha1.table.ts'
  )
  return kind.read({}, createReport()) as OrchControllerManagerConfiguration
}
