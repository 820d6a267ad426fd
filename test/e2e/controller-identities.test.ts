/** Controllers of a controller manager as the users that they are, on a server that asks what they may. */
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { jwtVerify } from 'jose'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { configMaps } from '../../generated/apis/core/v1/config-map.ts'
import { namespaces } from '../../generated/apis/core/v1/namespace.ts'
import { secrets } from '../../generated/apis/core/v1/secret.ts'
import { serviceAccounts } from '../../generated/apis/core/v1/service-account.ts'
import { connect } from '../../runtime/connection/connection.ts'
import { startManager } from '../support/controller-manager.ts'
import { orchCommand, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'
import { newAuthority } from '../support/tls.ts'
import { until } from '../support/until.ts'

const test = suite('e2e: identities of controllers')

const policy = `apiVersion: audit.orch.io/v1
kind: Policy
omitStages: [RequestReceived]
rules: [{ level: Metadata, verbs: [create, update] }, { level: None }]
`

interface Recorded {
  readonly user: { readonly username: string }
  readonly userAgent: string
  readonly objectRef: {
    readonly resource: string
    readonly namespace: string
    readonly name: string
  }
}

/** The first write of a resource in a namespace. */
function recorded(file: string, resource: string, namespace: string): Promise<Recorded> {
  return until(`a record of ${resource}`, () =>
    readFileSync(file, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Recorded)
      .find(
        ({ objectRef }) => objectRef.resource === resource && objectRef.namespace === namespace,
      ),
  )
}

for (const platform of ['orch', 'kubernetes']) {
  const prefix = platform === 'orch' ? 'orch' : 'kube'
  // J-09 J-10
  test(`with --use-service-account-credentials each controller is its own account, on ${platform}`, async () => {
    const folder = tempDirectory()
    const [orchconfig, audit, policyFile] = ['orchconfig', 'audit.log', 'policy.yaml'].map((name) =>
      join(folder, name),
    ) as [string, string, string]
    writeFileSync(policyFile, policy.replace('orch.io', platform === 'orch' ? 'orch.io' : 'k8s.io'))
    const up = await startProgram(orchCommand, [
      ...['up', '--port=0', '--controllers=', `--orchconfig=${orchconfig}`],
      ...[`--audit-log-path=${audit}`, `--audit-policy-file=${policyFile}`],
      ...(platform === 'orch' ? [] : [`--platform=schemas/platform/${platform}.yaml`]),
    ])
    const manager = startManager([
      `--orchconfig=${orchconfig}`,
      '--use-service-account-credentials',
      '--controllers=serviceaccount',
    ])
    try {
      await manager.ready
      const client = await connect(orchconfig)
      await client.resource(namespaces).create({ metadata: { name: 'shop' } })
      await until('the account', () => client.resource(serviceAccounts).in('shop').find('default'))
      const made = await recorded(audit, 'serviceaccounts', 'shop')
      const namespace = `${prefix}-system`
      assert.is(made.user.username, `system:serviceaccount:${namespace}:service-account-controller`)
      const agent =
        /^orch-controller-manager\/v1\.29\.\d+ \(\w+\/\w+\) orch\/[\w.-]+\/service-account-controller$/
      assert.match(made.userAgent, agent)
      await client.close()
      assert.is(await manager.stop(), 0)
    } finally {
      await manager.stop('SIGKILL')
      await up.stop()
    }
  })
}

// D1.1 D5.3
test('tokens in secrets are signed by --service-account-private-key-file and carry --root-ca-file', async () => {
  const folder = tempDirectory()
  const [orchconfig, keyFile, rootFile, audit, policyFile] = [
    ...['orchconfig', 'key.pem', 'root.pem', 'audit.log', 'policy.yaml'],
  ].map((name) => join(folder, name)) as [string, string, string, string, string]
  writeFileSync(policyFile, policy.replace('create, update', 'update'))
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const { cert: root } = await newAuthority('a root')
  writeFileSync(rootFile, root)
  const up = await startProgram(orchCommand, [
    ...['up', '--port=0', '--controllers=', `--orchconfig=${orchconfig}`],
    ...[`--audit-log-path=${audit}`, `--audit-policy-file=${policyFile}`],
  ])
  const manager = startManager([
    `--orchconfig=${orchconfig}`,
    '--use-service-account-credentials',
    `--service-account-private-key-file=${keyFile}`,
    `--root-ca-file=${rootFile}`,
    '--controllers=serviceaccount,serviceaccount-token,root-ca-cert-publisher',
  ])
  try {
    await manager.ready
    const client = await connect(orchconfig)
    const inDefault = client.resource(secrets).in('default')
    await until('the account', () => client.resource(serviceAccounts).in('default').find('default'))
    await inDefault.create({
      metadata: {
        name: 'token',
        annotations: { 'orch.io/service-account.name': 'default' },
      },
      type: 'orch.io/service-account-token',
    })
    const data = await until('the token', async () => {
      const { data = {} } = await inDefault.get('token')
      return data.token === undefined ? undefined : data
    })
    const text = (name: string) => Buffer.from(data[name] ?? '', 'base64').toString()
    const { payload } = await jwtVerify(text('token'), publicKey)
    assert.is(payload.sub, 'system:serviceaccount:default:default')
    assert.is(text('ca.crt'), root)
    const bundle = await until('the bundle', () =>
      client.resource(configMaps).in('default').find('orch-root-ca.crt'),
    )
    assert.is(bundle.data?.['ca.crt'], root)
    const { user, userAgent } = await recorded(audit, 'secrets', 'default')
    assert.not.match(user.username, 'serviceaccount')
    assert.match(userAgent, /\/tokens-controller$/)
    await client.close()
    assert.is(await manager.stop(), 0)
  } finally {
    await manager.stop('SIGKILL')
    await up.stop()
  }
})

test.run()
