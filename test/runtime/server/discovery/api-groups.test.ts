import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  aggregated,
  coreVersions,
  groupList,
  resourceList,
} from '../../../../runtime/server/discovery/api-groups.ts'
import { routeTable } from '../../../../runtime/server/request/resource-path.ts'
import { servedGroups } from '../../../../runtime/server/request/served-groups.ts'
import { scheme } from '../scheme.ts'

const test = suite('runtime/server: discovery')
const routes = routeTable(scheme)
const groups = servedGroups(scheme, routes)
const all = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']

// S-01
test('the core group names its versions and the address', () => {
  assert.equal(coreVersions(groups, 'localhost:8080'), {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: 'localhost:8080' }],
  })
})

// S-02, A9.1
test('groups stand by priority, only with versions that serve something', () => {
  const v1 = { groupVersion: 'apps/v1', version: 'v1' }
  assert.equal(groupList(groups), {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: [{ name: 'apps', versions: [v1], preferredVersion: v1 }],
  })
})

// S-04
test('a resource list is sorted, and the core one has no apiVersion', () => {
  const list = resourceList('', 'v1', routes.get('api/v1')?.values() ?? [])
  assert.equal(Object.keys(list), ['kind', 'groupVersion', 'resources'])
  const { resources } = list as { resources: { name: string }[] }
  assert.equal(
    resources.map(({ name }) => name),
    ['namespaces', 'namespaces/status', 'pods', 'pods/status'],
  )
  assert.equal(resources[2], {
    name: 'pods',
    singularName: 'pod',
    namespaced: true,
    kind: 'Pod',
    verbs: all,
    shortNames: ['po'],
    categories: ['all'],
    storageVersionHash: 'xPOwRZ+Yhw8=',
  })
})

// S-05
test('the aggregated form holds everything of a group', () => {
  const apps = groups.filter(({ group }) => group === 'apps')
  assert.equal(aggregated('apidiscovery.orch.io/v2beta1', apps, routes), {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.orch.io/v2beta1',
    metadata: {},
    items: [
      {
        metadata: { name: 'apps', creationTimestamp: null },
        versions: [
          {
            version: 'v1',
            resources: [
              {
                resource: 'deployments',
                responseKind: { group: '', version: '', kind: 'Deployment' },
                scope: 'Namespaced',
                singularResource: 'deployment',
                verbs: all,
                subresources: [
                  {
                    subresource: 'status',
                    responseKind: { group: '', version: '', kind: 'Deployment' },
                    verbs: ['get', 'patch', 'update'],
                  },
                ],
              },
            ],
            freshness: 'Current',
          },
        ],
      },
    ],
  })
})

test.run()
