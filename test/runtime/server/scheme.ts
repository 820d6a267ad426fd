import { type AnyKind, defineKind, type Kind } from '../../../runtime/kernel/descriptors/kind.ts'
import type { Scheme } from '../../../runtime/kernel/descriptors/scheme.ts'
import type { ApiObject } from '../../../runtime/kernel/meta/object.ts'

/** A kind of which only the facts that paths and discovery read are of interest. */
export function factsOf(facts: Partial<Kind> & Pick<Kind, 'kind' | 'plural'>): AnyKind {
  return defineKind<ApiObject>({
    group: '',
    version: 'v1',
    listKind: `${facts.kind}List`,
    singular: facts.kind.toLowerCase(),
    shortNames: [],
    categories: [],
    scope: 'Namespaced',
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    subresources: [],
    nameFormat: 'dns-subdomain',
    createOnUpdate: false,
    unconditionalUpdate: true,
    deleteReturns: 'Status',
    generation: false,
    columns: [],
    selectableFields: {},
    strategies: [],
    applyReset: {},
    merge: {},
    read: (input) => input as ApiObject,
    ...facts,
  })
}

const status = { name: 'status', verbs: ['get', 'patch', 'update'] } as const
const scale = {
  name: 'scale',
  kind: 'Scale',
  apiVersion: 'autoscaling/v1',
  verbs: ['get'],
} as const

export const scheme: Scheme = {
  platform: {
    brand: 'orch',
    prefix: 'orch',
    api: 'orch.io',
    domain: 'orch.io',
    extension: 'orch',
    vendor: 'orch',
    agent: 'orchlet',
    client: 'orchctl',
    schemaPackage: 'io.orch',
    release: '1.29.0',
  },
  groups: [
    { group: 'batch', versions: ['v1'], priority: 17400 },
    { group: '', versions: ['v1'], priority: 18000 },
    { group: 'apps', versions: ['v1', 'v1beta1'], priority: 17800 },
  ],
  routes: {
    'api/v1/pods': factsOf({
      kind: 'Pod',
      plural: 'pods',
      shortNames: ['po'],
      categories: ['all'],
      subresources: [{ ...status, kind: 'Pod', apiVersion: 'v1' }],
    }),
    'api/v1/namespaces': factsOf({
      kind: 'Namespace',
      plural: 'namespaces',
      scope: 'Cluster',
      verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
      subresources: [{ ...status, kind: 'Namespace', apiVersion: 'v1' }],
    }),
    'apis/apps/v1/deployments': factsOf({
      group: 'apps',
      kind: 'Deployment',
      plural: 'deployments',
      subresources: [scale, { ...status, kind: 'Deployment', apiVersion: 'apps/v1' }],
    }),
  },
  openapi: async () => ({ 'api/v1': '{"openapi":"3.0.0"}' }),
}
