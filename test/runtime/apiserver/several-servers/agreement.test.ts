/** What two servers of one database say alike, and what each says of itself. */
import '../../../../tools/test/guard.ts'
import { randomBytes } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { EncryptionConfiguration } from '../../../../generated/config/encryption/v1.ts'
import { certificateRequest } from '../../../support/certificates.ts'
import type { CustomServer } from '../../../support/custom.ts'
import { noSeveralServers, startServers } from '../../../support/several-servers.ts'
import { until } from '../../../support/until.ts'

const servers = suite('runtime/apiserver: what several servers agree on')
const test =
  noSeveralServers === undefined
    ? servers
    : (((name: string) => console.log(`SKIP ${name}: ${noSeveralServers}`)) as never)

const key = (name: string) => ({ name, secret: randomBytes(32).toString('base64') })
const [k1, k2] = [key('k1'), key('k2')]
const encryptedBy = (...keys: (typeof k1)[]): EncryptionConfiguration => ({
  resources: [{ resources: ['secrets'], providers: [{ aesgcm: { keys } }, { identity: {} }] }],
})

/** Records of each server. */
const records: string[][] = [[], []]
let pair: readonly [CustomServer, CustomServer]
const [core, maps] = ['/api/v1/namespaces/default', '/api/v1/namespaces/default/configmaps']

servers.before(async () => {
  if (noSeveralServers !== undefined) return
  const start = async (at: number): Promise<CustomServer> => {
    const [server] = await startServers(1, 'agreement', {
      gates: new Set(['ValidatingAdmissionPolicy']),
      runtimeConfig: ['admissionregistration.orch.io/v1beta1=true'],
      encryption: encryptedBy(k1),
      audit: {
        policy: { rules: [{ level: 'Metadata', omitStages: ['RequestReceived'] }] },
        log: { output: (line) => void records[at]!.push(line) },
      },
    })
    return server!
  }
  pair = [await start(0), await start(1)]
})
servers.after(async () => {
  for (const server of pair ?? []) await server.stop()
})

test('a key that all servers know may encrypt at one of them, and then at the other', async () => {
  const [one, other] = pair
  const secrets = `${core}/secrets`
  const isRead = async (name: string): Promise<void> => {
    for (const { ask } of pair) {
      const { status, json } = await ask('GET', `${secrets}/${name}`)
      assert.equal([status, json.data], [200, { a: 'MQ==' }], name)
    }
  }
  const write = async ({ ask }: CustomServer, name: string): Promise<void> => {
    assert.is((await ask('POST', secrets, { metadata: { name }, data: { a: 'MQ==' } })).status, 201)
    await isRead(name)
  }
  await write(one, 'first')
  for (const { server } of pair) await server.replaceEncryption(encryptedBy(k1, k2))
  await one.server.replaceEncryption(encryptedBy(k2, k1))
  await write(one, 'by-the-new-key')
  await write(other, 'by-the-old-key')
  await other.server.replaceEncryption(encryptedBy(k2, k1))
  await write(other, 'by-the-new-key-too')
  await isRead('first')
})

test('each server records the requests that it got, under ids that no other gives', async () => {
  const [one, other] = pair
  const made = [
    await one.ask('POST', maps, { metadata: { name: 'recorded-0' } }),
    await other.ask('POST', maps, { metadata: { name: 'recorded-1' } }),
  ]
  assert.equal(
    made.map(({ status }) => status),
    [201, 201],
  )
  for (const at of [0, 1]) {
    const lines = await until('recorded', () => {
      const found = records[at]!.filter((line) => line.includes('recorded-'))
      return found.length > 0 && found
    })
    assert.equal(
      lines.map((line) => JSON.parse(line).objectRef.name),
      [`recorded-${at}`],
    )
    assert.is(JSON.parse(lines[0]!).auditID, made[at]!.headers.get('audit-id'))
  }
  const ids = records.map((lines) => new Set(lines.map((line) => JSON.parse(line).auditID)))
  assert.equal(
    [...ids[0]!].filter((id) => ids[1]!.has(id)),
    [],
  )
})

test('requests are of the priority level that the other server was told of', async () => {
  const [one, other] = pair
  const group = '/apis/flowcontrol.apiserver.orch.io/v1'
  const level = await one.ask('POST', `${group}/prioritylevelconfigurations`, {
    metadata: { name: 'small' },
    spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
  })
  assert.is(level.status, 201)
  const groups = ['system:authenticated', 'system:unauthenticated']
  const schema = await other.ask('POST', `${group}/flowschemas`, {
    metadata: { name: 'maps' },
    spec: {
      priorityLevelConfiguration: { name: 'small' },
      matchingPrecedence: 50,
      rules: [
        {
          subjects: groups.map((name) => ({ kind: 'Group', group: { name } })),
          resourceRules: [
            { verbs: ['get'], apiGroups: [''], resources: ['configmaps'], namespaces: ['default'] },
          ],
        },
      ],
    },
  })
  assert.is(schema.status, 201)
  for (const { ask } of pair) {
    await until('of that level', async () => {
      const { headers } = await ask('GET', `${maps}/none`)
      const [of] = [...headers].filter(([name]) => name.endsWith('-pf-prioritylevel-uid'))
      return of?.[1] === level.json.metadata.uid
    })
  }
})

test('a request for a certificate goes on at the other server', async () => {
  const [one, other] = pair
  const path = '/apis/certificates.orch.io/v1/certificatesigningrequests'
  const made = await one.ask('POST', path, {
    metadata: { name: 'node' },
    spec: {
      request: certificateRequest,
      signerName: 'example.com/signer',
      usages: ['client auth'],
    },
  })
  assert.is(made.status, 201, made.text)
  const conditions = [{ type: 'Approved', status: 'True', reason: 'Known' }]
  const approved = await other.ask('PUT', `${path}/node/approval`, {
    ...made.json,
    status: { conditions },
  })
  assert.is(approved.status, 200, approved.text)
  const read = await one.ask('GET', `${path}/node`)
  assert.is(read.json.status.conditions[0].reason, 'Known')
  assert.equal(read.json, (await other.ask('GET', `${path}/node`)).json)
})

test('what a policy refuses at one server the other refuses, too', async () => {
  const [one, other] = pair
  const group = '/apis/admissionregistration.orch.io/v1beta1'
  const policy = await one.ask('POST', `${group}/validatingadmissionpolicies`, {
    metadata: { name: 'no-odd-ones' },
    spec: {
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            operations: ['CREATE'],
            resources: ['configmaps'],
          },
        ],
      },
      validations: [{ expression: '!object.metadata.name.startsWith("odd")', message: 'odd' }],
    },
  })
  assert.is(policy.status, 201, policy.text)
  const binding = await other.ask('POST', `${group}/validatingadmissionpolicybindings`, {
    metadata: { name: 'no-odd-ones' },
    spec: { policyName: 'no-odd-ones', validationActions: ['Deny'] },
  })
  assert.is(binding.status, 201, binding.text)
  for (const { ask } of pair) {
    await until('refused', async () => {
      const { status, text } = await ask('POST', `${maps}?dryRun=All`, {
        metadata: { name: 'odd' },
      })
      return status === 422 && text.includes('no-odd-ones')
    })
    const even = await ask('POST', `${maps}?dryRun=All`, { metadata: { name: 'even' } })
    assert.is(even.status, 201)
  }
})

servers.run()
