/** Controller managers as processes: which of them works, whatever becomes of the others. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { leases } from '../../generated/apis/coordination/v1.ts'
import { events } from '../../generated/apis/core/v1/event.ts'
import { namespaces } from '../../generated/apis/core/v1/namespace.ts'
import { serviceAccounts } from '../../generated/apis/core/v1/service-account.ts'
import { type Client, createClient, httpTransport } from '../../runtime/client/client.ts'
import { type ManagerProcess, migrationFlags, startManager } from '../support/controller-manager.ts'
import { apiserverCommand, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'
import { until } from '../support/until.ts'

const test = suite('e2e: leader election')

/** A server whose users may do everything, and what it recorded of each write: who, what, in the order in which it was done. */
interface Cluster {
  readonly client: Client
  /** A manager that says it is this user. */
  manager(user: string, ...args: readonly string[]): ManagerProcess
  writes(): readonly { readonly user: string; readonly resource: string }[]
}

const policy = `apiVersion: audit.orch.io/v1
kind: Policy
omitStages: [RequestReceived]
rules: [{ level: Metadata, verbs: [create, update, patch, delete] }, { level: None }]
`

async function inCluster(work: (cluster: Cluster) => Promise<void>): Promise<void> {
  const folder = tempDirectory()
  const [audit, policyFile] = [join(folder, 'audit.log'), join(folder, 'policy.yaml')]
  writeFileSync(policyFile, policy)
  const server = await startProgram(apiserverCommand, [
    '--insecure-port=0',
    '--storage=memory',
    `--audit-log-path=${audit}`,
    `--audit-policy-file=${policyFile}`,
  ])
  const client = createClient(httpTransport({ server: server.url, namespace: 'default' }))
  const started: ManagerProcess[] = []
  try {
    await work({
      client,
      manager(user, ...args) {
        const orchconfig = join(folder, `${user}.orchconfig`)
        writeFileSync(orchconfig, orchconfigOf(server.url, user))
        const flags = [`--orchconfig=${orchconfig}`, '--controllers=serviceaccount', ...args]
        const one = startManager(flags)
        started.push(one)
        return one
      },
      writes: () => readFileSync(audit, 'utf8').split('\n').slice(0, -1).map(writeOf),
    })
  } finally {
    await Promise.all(started.map((one) => one.stop('SIGKILL')))
    await client.close()
    await server.stop()
  }
}

/** A lease that runs out while a test waits for it. */
const short = ['--leader-elect-lease-duration=20s', '--leader-elect-renew-deadline=16s']
/** One that does not: what follows its holder was given it. */
const long = ['--leader-elect-lease-duration=3600s', '--leader-elect-renew-deadline=3000s']

function orchconfigOf(server: string, user: string): string {
  return `apiVersion: v1
kind: Config
current-context: c
clusters: [{ name: c, cluster: { server: '${server}' } }]
users: [{ name: u, user: { as: ${user} } }]
contexts: [{ name: c, context: { cluster: c, user: u } }]
`
}

function writeOf(line: string): { user: string; resource: string } {
  const event = JSON.parse(line)
  const user = event.impersonatedUser?.username ?? event.user.username
  return { user, resource: event.objectRef?.resource ?? '' }
}

async function addNamespace(client: Client, name: string): Promise<void> {
  await client.resource(namespaces).create({ metadata: { name } })
  await until(`the account of ${name}`, () =>
    client.resource(serviceAccounts).in(name).find('default'),
  )
}

/** Fails if one of them wrote an account after the other had written the lease. */
function assertOneWriter({ writes }: Cluster, first: string, second: string): void {
  const all = writes()
  const taken = all.findIndex(({ user, resource }) => user === second && resource === 'leases')
  const own = (at: number) => all[at]?.user === first && all[at]?.resource === 'serviceaccounts'
  const late = all.map((_, at) => at).filter((at) => at > taken && own(at))
  assert.ok(taken >= 0)
  assert.equal(late, [])
}

// T-22
test('a leader that is killed is followed by another once its lease has run out', () =>
  inCluster(async (cluster) => {
    const { client } = cluster
    const first = cluster.manager('first', ...short)
    await first.ready
    await addNamespace(client, 'a')
    const lease = await client.resource(leases).get({
      namespace: 'orch-system',
      name: 'orch-controller-manager',
    })
    assert.match(lease.spec?.holderIdentity ?? '', /^[^_]+_[0-9a-f-]{36}$/)
    assert.is(lease.spec?.leaseDurationSeconds, 20)
    assert.is(lease.spec?.leaseTransitions, 0)
    const { acquireTime, renewTime } = lease.spec ?? {}
    assert.ok(acquireTime && renewTime && renewTime >= acquireTime)
    await until('the event', async () => {
      for await (const event of client.resource(events).in('orch-system').list()) {
        const { reason, message, source, involvedObject } = event
        const said = `${lease.spec?.holderIdentity} became leader`
        if (reason !== 'LeaderElection' || message !== said) continue
        return source?.component === 'orch-controller-manager' && involvedObject.kind === 'Lease'
      }
      return false
    })
    const second = cluster.manager('second', ...short)
    await second.ready
    assert.is(await first.stop('SIGKILL'), 'SIGKILL')
    await addNamespace(client, 'b')
    assertOneWriter(cluster, 'first', 'second')
    assert.is(await second.stop(), 0)
  }))

// J-12
test('a leader that was stopped for longer than its lease ends when it wakes, and writes nothing', () =>
  inCluster(async (cluster) => {
    const { client } = cluster
    const first = cluster.manager('first', ...short)
    await first.ready
    await addNamespace(client, 'a')
    const second = cluster.manager('second', ...short)
    await second.ready
    first.process.kill('SIGSTOP')
    await client.resource(namespaces).create({ metadata: { name: 'b' } })
    await addNamespace(client, 'c')
    first.process.kill('SIGCONT')
    assert.is(await first.ended, 1)
    assert.match(first.output(), 'orch-controller-manager: the lease is lost')
    await addNamespace(client, 'd')
    assertOneWriter(cluster, 'first', 'second')
    assert.is(await second.stop(), 0)
  }))

// J-12
test('a leader that is told to stop gives its lease back, and the next one begins at once', () =>
  inCluster(async (cluster) => {
    const { client } = cluster
    const first = cluster.manager('first', ...long)
    await first.ready
    const second = cluster.manager('second', ...long)
    await second.ready
    assert.is(await first.stop(), 0)
    await addNamespace(client, 'a')
    assertOneWriter(cluster, 'first', 'second')
    assert.is(await second.stop(), 0)
  }))

// D2.55 D2.79
test('a controller that moves runs in one of two programs, first in one and then in the other', () =>
  inCluster(async (cluster) => {
    const { client } = cluster
    const file = join(tempDirectory(), 'migration.yaml')
    const leader = "{ name: serviceaccount-controller, component: '*' }"
    const moving = [...long, ...migrationFlags(file, leader)]
    const holder = async (name: string) => {
      const key = { namespace: 'orch-system', name }
      return (await client.resource(leases).find(key))?.spec?.holderIdentity
    }
    const first = cluster.manager('first', ...moving, '--leader-elect-resource-name=old')
    await first.ready
    await addNamespace(client, 'a')
    const second = cluster.manager('second', ...moving, '--leader-elect-resource-name=new')
    await until('the second leads its own controllers', () => holder('new'))
    await addNamespace(client, 'b')
    assert.is(await holder('moving'), await holder('old'))
    assert.is(await first.stop(), 0)
    await addNamespace(client, 'c')
    assert.is(await holder('moving'), await holder('new'))
    const writers = () => {
      const accounts = cluster.writes().filter(({ resource }) => resource === 'serviceaccounts')
      return accounts.map(({ user }) => user)
    }
    await until('a record of the second', () => writers().at(-1) === 'second')
    const users = writers()
    assert.equal(users, [...users].sort(), 'the second begins after the last write of the first')
    assert.is(await second.stop(), 0)
  }))

test.run()
