import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { controllers } from '../../generated/controllers.ts'
import { options } from '../../generated/options/orch-controller-manager.ts'
import { defaultConfiguration } from '../../runtime/controller-manager/controller-manager.ts'
import { optionsOf } from '../../runtime/kernel/options/option-table.ts'
import { startControlPlane } from '../../runtime/testing/testing.ts'
import { checkControllerManager } from '../support/check-config.ts'
import { managerCommand, migrationFlags, startManager } from '../support/controller-manager.ts'
import { runNode } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'

const daemon = suite('daemons/controller-manager')

const check = ['--check-config', '--master=http://127.0.0.1:1']

// D1.2
daemon('--check-config starts nothing, and is content with the defaults', async () => {
  const { code, stdout, stderr } = await runNode(managerCommand, check)
  assert.equal({ code, stdout, stderr }, { code: 0, stdout: '', stderr: '' })
})

daemon('--help teaches every flag, and --version=raw is for programs', async () => {
  const { code, stdout } = await runNode(managerCommand, ['--help'])
  assert.is(code, 0)
  assert.match(stdout, 'orch-controller-manager [flags]')
  assert.match(stdout, '--leader-elect-resource-name')
  assert.match(stdout, /^ {2}pod-garbage-collector-controller +podgc$/m)
  assert.match(stdout, /^ {2}token-cleaner-controller +tokencleaner +off unless named$/m)
  assert.match((await runNode(managerCommand, ['--version=raw'])).stdout, /^\d+\.\d+\.\d+\s*$/)
})

daemon('--check-config says everything that is wrong at once', async () => {
  const folder = tempDirectory()
  const migration = join(folder, 'migration.yaml')
  writeFileSync(migration, 'kind: Policy\n')
  const { code, stderr } = await runNode(managerCommand, [
    '--check-config',
    '--orchconfig=/nowhere/orchconfig',
    `--root-ca-file=${migration}`,
    `--leader-migration-config=${migration}`,
    '--leader-elect-resource-lock=endpointsleases',
    '--leader-elect-resource-name=',
    '--leader-elect-retry-period=9s',
    '--show-hidden-metrics-for-version=1.20',
    '--cluster-signing-cert-file=/nowhere/ca.crt',
    '--cluster-signing-key-file=/nowhere/ca.key',
  ])
  assert.is(code, 1)
  for (const why of [
    'orchconfig /nowhere/orchconfig: there is no such file or folder',
    /--root-ca-file \S+: no certificate in PEM form/,
    /migration\.yaml:1:1: expected a LeaderMigrationConfiguration/,
    '--leader-elect-resource-lock endpointsleases: only leases',
    '--leader-elect-resource-name: a lease has to have a name',
    /-retry-period: lease: retryMs 9000 times 1.2, renewDeadlineMs 10000/,
    /must be left out or 1.28/,
    /an authority that signs: .*nowhere/,
  ])
    assert.match(stderr, why)
})

daemon('a controller that moves has to be one, where the program is this one', async () => {
  const file = join(tempDirectory(), 'migration.yaml')
  const migrating = (name: string, component: string) =>
    checkControllerManager(...migrationFlags(file, `{ name: ${name}, component: ${component} }`))
  const { code, stderr } = await migrating('rout', 'orch-controller-manager')
  assert.is(code, 1)
  const why = 'orch-controller-manager has no such controller; did you mean "route"?'
  assert.match(stderr, `leader migration: controllerLeaders: "rout": ${why}`)
  for (const [name, component] of [
    ['route', 'orch-controller-manager'],
    ['rout', 'cloud-controller-manager'],
    ['rout', "'*'"],
  ] as const) {
    assert.is((await migrating(name, component)).code, 0, `${name} ${component}`)
  }
})

// J-07
daemon('what cannot be is refused', async () => {
  const cases: readonly (readonly [flag: string, why: RegExp])[] = [
    ['--controllers=*,foo', /--controllers: Generic\.Controllers\[1\]: "foo" is unknown/],
    ['--leader-elect-lease-duration=5s', /renewDeadline: must be less than leaseDuration/],
    ['--leader-elect-lease-duration=15.5s', /leaseMs 15500 must be whole seconds/],
    ['--master=here', /--master here: expected an address such as/],
    ['--feature-gates=NoSuch=true', /NoSuch/],
    ['--enable-leader-migration --leader-elect=false', /migration needs --leader-elect/],
    [
      '--allocate-node-cidrs --cluster-cidr=10.0.0.0/30',
      /--cluster-cidr 10\.0\.0\.0\/30: is smaller/,
    ],
    ['--cloud-provider=mem', /--cloud-provider mem: .* did you mean "memory"/],
    ...[
      ...['cluster-signing-duration', 'node-monitor-period', 'pvclaimbinder-sync-period'],
      'route-reconciliation-period',
    ].map((flag) => [`--${flag}=0`, new RegExp(`--${flag}: .*must be more than 0s`)] as const),
    ['--endpoint-updates-batch-period=-1s', /BatchPeriod: must not be less than 0s/],
    ['--horizontal-pod-autoscaler-sync-period=-1s', /SyncPeriod: must be more than 0s/],
    ['surplus', /unknown argument: surplus/],
  ]
  for (const [flag, why] of cases) {
    const { code, stderr } = await checkControllerManager(...flag.split(' '))
    assert.is(code, 1, flag)
    assert.match(stderr, why)
  }
})

daemon('what is set and changes nothing yet is said', async () => {
  const { code, stderr } = await checkControllerManager(
    '--min-resync-period=1h',
    '--bind-address=127.0.0.1',
    '--cluster-name=shop',
    '--vmodule=a=1',
    '--terminated-pod-gc-threshold=5',
    '--controllers=*,cloud-node-lifecycle,resource-claim-controller',
  )
  assert.is(code, 0)
  const lines = stderr.trim().split('\n').sort()
  assert.equal(lines, [
    'orch-controller-manager: --cluster-name has no effect: there is no cloud provider',
    'orch-controller-manager: --controllers: cloud-node-lifecycle-controller does not run: there is no cloud provider',
    'orch-controller-manager: --controllers: resourceclaim-controller does not run: DynamicResourceAllocation in --feature-gates is off',
    'orch-controller-manager: --min-resync-period has no effect: no change is missed, so that caches are not gone through again',
    'orch-controller-manager: --vmodule has no effect: lines of the log have no files',
  ])
})

/** A value of its type that a flag does not have by default, and that may stand alone. */
const otherValues: Readonly<Record<string, string>> = {
  ...{ bool: 'true', duration: '7s', float: '7', int: '7', int32: '7', string: 'seven' },
}

daemon('every setting is read by something, or said to have no effect', async () => {
  const texts = ['../../runtime/controller-manager/', '../../daemons/'].flatMap((folder) => {
    const url = new URL(folder, import.meta.url)
    const files = readdirSync(url, { encoding: 'utf8', recursive: true })
    const sources = files.filter((file) => file.endsWith('.js'))
    return sources.map((file) => readFileSync(new URL(file, url), 'utf8'))
  })
  const concurrency = controllers.map((one) => one.concurrency)
  const unread = optionsOf(options).filter(({ field }) => {
    const name = field?.replace(/.*\./s, '')
    return !(name && texts.some((text) => text.includes(name))) && !concurrency.includes(field)
  })
  for (const { flag, field, type } of unread.filter((one) => one.field !== undefined)) {
    const { stderr } = await checkControllerManager(`--${flag}=${otherValues[type]}`)
    assert.match(stderr, `--${flag} has no effect: `, field)
  }
})

daemon('fields without a flag that nothing reads are said to have no effect', async () => {
  const file = join(tempDirectory(), 'manager.yaml')
  const { NodeLifecycleController, ...others } = await defaultConfiguration()
  const changed = { ...NodeLifecycleController, PodEvictionTimeout: '5m0s' }
  const apiVersion = 'orchcontrollermanager.config.orch.io/v1alpha1'
  const kind = 'OrchControllerManagerConfiguration'
  const whole = { apiVersion, kind, ...others, NodeLifecycleController: changed }
  writeFileSync(file, JSON.stringify(whole))
  const { code, stderr } = await checkControllerManager(`--config=${file}`)
  assert.is(code, 0, stderr)
  assert.match(
    stderr,
    'NodeLifecycleController.PodEvictionTimeout has no effect: tolerations of pods have taken its place',
  )
})

daemon('words that turn no controller on are said to leave none', async () => {
  for (const words of ['-job,-podgc', '']) {
    const { code, stderr } = await checkControllerManager(`--controllers=${words}`)
    assert.equal(
      { code, stderr },
      {
        code: 0,
        stderr: 'orch-controller-manager: --controllers: nothing runs; *,-NAME is all but NAME\n',
      },
    )
  }
})

daemon('a controller without workers does not run, which is said, and the others do', async () => {
  await using plane = await startControlPlane({ socket: true })
  const manager = startManager([
    `--master=${plane.url}`,
    '--leader-elect=false',
    '--controllers=deployment,job',
    '--concurrent-deployment-syncs=0',
  ])
  await manager.ready
  assert.is(await manager.stop(), 0)
  const told = manager.output().match(/controller does not run: it has no workers.*/g) ?? []
  assert.is(told.length, 1, manager.output())
  assert.match(
    manager.output(),
    /deployment-controller.*no workers|no workers.*deployment-controller/,
  )
})

// D2.20, D2.46, D2.111
daemon(
  'what is for a cloud has an effect where there is one, and an external one is none here',
  async () => {
    const flags = ['--cluster-name=shop', '--controllers=*,service', '--concurrent-service-syncs=2']
    const { code, stderr } = await runNode(managerCommand, [
      ...[...check, ...flags, '--cloud-provider=memory', '--cloud-config=/some/file'],
    ])
    assert.is(code, 0)
    assert.equal(stderr.trim().split('\n'), [
      'orch-controller-manager: --cloud-config has no effect: no provider that runs here has settings',
    ])
    const external = [...check, '--controllers=service', '--cloud-provider=external']
    const elsewhere = await runNode(managerCommand, external)
    assert.match(elsewhere.stderr, 'service-lb-controller does not run: there is no cloud provider')
  },
)

daemon('a server that cannot be reached ends it with a reason', async () => {
  const { code, stderr } = await runNode(managerCommand, ['--master=http://127.0.0.1:1'])
  assert.is(code, 1)
  assert.match(stderr, /orch-controller-manager: .*127\.0\.0\.1:1/)
})

daemon.run()
