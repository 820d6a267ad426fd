import * as assert from 'uvu/assert'
import { kindAt } from '../../../support/registry.ts'
import type { Given } from '../outcome.ts'
import { creations, refusals, stored, writing } from '../tables.ts'

const test = writing('runtime/apis: group versions')
const versions = kindAt('apis/apiregistration.orch.io/v1/apiservices')

const priorities = { groupPriorityMinimum: 1000, versionPriority: 100 }
const named = (name: string, spec: object = {}): Given => ({
  metadata: { name },
  spec: { group: 'a.example.com', version: 'v1', ...priorities, ...spec },
})
const one = (spec: object): Given => named('v1.a.example.com', spec)
const service = { namespace: 'shop', name: 'metrics' }

// B-01, B-02
refusals(test, versions, [
  [
    'the name is that of the version and the group',
    named('v1.b.example.com'),
    [
      'metadata.name: Invalid value: "v1.b.example.com": must be `spec.version+"."+spec.group`: "v1.a.example.com"',
    ],
  ],
  ['the group may be missing for v1 alone', named('v1.', { group: '' }), []],
  [
    'and for no other version',
    named('v2.', { group: undefined, version: 'v2' }),
    ['spec.group: Required value: only v1 may have an empty group and it better be legacy kube'],
  ],
  [
    'priorities lie in their ranges',
    one({ groupPriorityMinimum: 20_001, versionPriority: 0 }),
    [
      'spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000',
      'spec.versionPriority: Invalid value: 0: must be positive and less than 1000',
    ],
  ],
  ['a service may answer for a version', named('v5.a.example.com', { version: 'v5', service }), []],
  [
    'at a port that there can be',
    one({ service: { ...service, port: 70_000 } }),
    ['spec.service.port: Invalid value: 70000: must be between 1 and 65535, inclusive'],
  ],
  [
    'of a service namespace and name are asked for, and one way to know it',
    one({ service: {}, insecureSkipTLSVerify: true, caBundle: 'YQ==' }),
    [
      'spec.service.namespace: Required value',
      'spec.service.name: Required value',
      'spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present',
    ],
  ],
  [
    'without a service there is nobody to check',
    one({ insecureSkipTLSVerify: true, caBundle: 'YQ==' }),
    [
      'spec.caBundle: Invalid value: "1 bytes": local APIServices may not have a caBundle',
      'spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify',
    ],
  ],
])

type Conditions = readonly Readonly<Record<string, string>>[]
const conditionsOf = ({ status }: Given) =>
  (status as { conditions: Conditions }).conditions.map(
    ({ type, status, reason }) => `${type} ${status} ${reason}`,
  )

// B-02
creations(test, versions, [
  [
    'a local version is available, whatever its sender says',
    { ...one({}), status: { conditions: [{ type: 'Available', status: 'False' }] } },
    conditionsOf,
    ['Available True Local'],
  ],
  [
    'of another server it is not known yet whether it is there',
    {
      ...named('v4.a.example.com', { version: 'v4', service }),
      status: { conditions: [{ type: 'Available', status: 'True' }] },
    },
    ({ status }: Given) => status,
    {},
  ],
])

// B-02
test('a version that comes back to this server is available', async ({ writer }) => {
  const changed = await writer.update(
    versions,
    named('v3.a.example.com', { version: 'v3', service }),
    (object) => {
      const { service: _, ...spec } = (object as unknown as { spec: { service?: object } }).spec
      return { ...object, spec }
    },
  )
  assert.equal(conditionsOf(stored(changed)), ['Available True Local'])
})

// B-02
test('a status that says otherwise is put right', async ({ writer }) => {
  const changed = await writer.update(
    versions,
    named('v2.a.example.com', { version: 'v2' }),
    (object) => ({ ...object, status: { conditions: [{ type: 'Available', status: 'False' }] } }),
    'status',
  )
  assert.equal(conditionsOf(stored(changed)), ['Available True Local'])
})

test.run()
