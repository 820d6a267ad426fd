import { named, overlay, type Stated } from 'orch/build'
import type { Deployment } from 'orch/generated/apis/apps/v1/deployment'
import type { Namespace } from 'orch/generated/apis/core/v1/namespace'
import base from './shop.ts'

const namespace: Stated<Namespace> = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'production' },
}

/** Fields of the shop's Deployment: of what it does not state, the base stays. */
function shop(spec: NonNullable<Stated<Deployment>['spec']>): Stated<Deployment> {
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'shop' }, spec }
}

const layers = {
  capacity: shop({ replicas: 5 }),
  security: shop({
    template: { spec: { containers: [{ name: 'web', securityContext: { runAsNonRoot: true } }] } },
  }),
}

export default [namespace, named({ namespace: 'production' }, overlay(base, layers))]
