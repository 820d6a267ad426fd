import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { compareFacts, type Facts, ownApi } from '../../../tools/check/facts.ts'

const test = suite('tools/check: facts')

const api = await ownApi()

const field = { name: 'host', num: 1, type: 'string', omitempty: true }
const facts: Facts = {
  groups: [...api.groups.entries()].map(([discoveryOrder, { group, versions, priority, off }]) => ({
    group,
    versions: versions.map((version) => ({ version, servedByDefault: !off.includes(version) })),
    preferred: versions[0] ?? '',
    discoveryOrder,
    groupPriorityMinimum: priority,
  })),
  featureGates: Object.fromEntries(
    api.features.map(({ gate, releases }) => {
      const { stage = '', default: on = false, locked = false } = releases.at(-1) ?? {}
      return [gate, { stage, default: on, locked }]
    }),
  ),
  defaults: [
    { type: 'core/v1.PodSpec', path: 'dnsPolicy', value: 'ClusterFirst' },
    { type: 'apps/v1.Deployment', path: 'spec.progressDeadlineSeconds', value: 600 },
    { type: 'core/v1.Container', path: 'imagePullPolicy', value: 'Always', when: 'no tag' },
  ],
  types: {
    'networking/v1.IPBlock': {
      fields: [
        { name: 'cidr', num: 1, type: 'string', required: true },
        {
          name: 'except',
          num: 2,
          type: 'array',
          items: { name: null, type: 'string' },
          omitempty: true,
        },
      ],
    },
    'networking/v1.IngressRule': { fields: [field, { name: null, inline: true, num: 2 }] },
  },
  enums: { 'networking/v1.PathType': ['Exact', 'Prefix', 'ImplementationSpecific'] },
  resources: [
    {
      group: 'networking.orch.io',
      version: 'v1',
      kind: 'IngressClass',
      plural: 'ingressclasses',
      singular: 'ingressclass',
      namespaced: false,
      shortNames: [],
      categories: [],
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      subresources: [],
    },
  ],
  tableColumns: {},
  fieldSelectors: {},
  resourceBehaviour: {},
}

test('schemas that say what the facts say differ in nothing', () => {
  assert.equal(compareFacts(api, facts), {
    types: 2,
    fields: 4,
    resources: 1,
    metrics: 0,
    differences: [],
  })
})

test('every difference is a line of its own', () => {
  const [resource] = facts.resources
  const [first, ...groups] = facts.groups
  const wrong: Facts = {
    ...facts,
    groups: [{ ...first!, preferred: 'v2', groupPriorityMinimum: 1 }, ...groups],
    featureGates: {
      ...facts.featureGates,
      WatchList: { stage: 'Beta', default: true, locked: true },
      Nothing: { stage: 'Alpha', default: false, locked: false },
    },
    defaults: [{ type: 'core/v1.PodSpec', path: 'dnsPolicy', value: 'Default' }],
    types: {
      'networking/v1.IPBlock': {
        fields: [{ name: 'cidr', num: 3, type: 'integer', format: 'int32', omitempty: true }],
      },
      'networking/v1.Nothing': { fields: [] },
    },
    enums: { 'networking/v1.PathType': ['Exact'] },
    resources: [{ ...resource!, shortNames: ['ic'], namespaced: true }],
    tableColumns: { 'networking.orch.io/IngressClass': [{ name: 'Name', type: 'string' }] },
  }
  assert.equal(
    compareFacts(api, wrong).differences.map((line) => line.replace(/columns is .*/, 'columns')),
    [
      'networking/v1.IPBlock: extra field except',
      'networking/v1.IPBlock.cidr: type is string, should be integer int32',
      'networking/v1.IPBlock.cidr: number is 1, should be 3',
      'networking/v1.IPBlock.cidr: required is true, should be false',
      'networking/v1.IPBlock.cidr: zero is required, should be omit',
      'networking/v1.Nothing: there is no such type',
      'networking/v1.PathType: values is Exact,ImplementationSpecific,Prefix, should be Exact',
      'networking.orch.io/v1 ingressclasses: short names is [], should be ["ic"]',
      'networking.orch.io/v1 ingressclasses: scope is "Cluster", should be "Namespaced"',
      'networking.orch.io/v1 ingressclasses: columns',
      ': preferred is v1, should be v2',
      ': priority is 18000, should be 1',
      'WatchList: stage is Alpha, should be Beta',
      'WatchList: default is false, should be true',
      'WatchList: lock is false, should be true',
      'Nothing: there is no such gate',
      'core/v1.PodSpec.dnsPolicy: default is "ClusterFirst", should be "Default"',
    ],
  )
})

test.run()
