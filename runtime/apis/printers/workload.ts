import type { Deployment } from '../../../generated/apis/apps/v1/deployment.ts'
import type { LooseObject } from '../../kernel/walker/loose.ts'

/** `1/2`: ready pods of the desired ones. */
export function readyOfDesired({ spec, status }: LooseObject<Deployment>): string {
  return `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`
}
