import type { Builders } from '../contract/build-controller.ts'

/** The controllers of what namespaces may use. */
export const quota: Builders = {
  'resourcequota-controller': async (context) =>
    (await import('./resource-quotas.ts')).resourceQuotaController(context),
}
