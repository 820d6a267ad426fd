import { once } from 'node:events'
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Container } from '../../../generated/apis/core/v1/container.ts'
import type { Pod, PodSpec } from '../../../generated/apis/core/v1/pod.ts'
import { platform } from '../../../generated/platform.ts'
import { dnsOf, readResolvConf } from '../../../runtime/agent/containers/dns.ts'
import { hostsFile } from '../../../runtime/agent/containers/hosts-file.ts'
import { containerResources, podLimits } from '../../../runtime/agent/containers/resources.ts'
import { securityOf } from '../../../runtime/agent/containers/security.ts'
import { noPlace } from '../../../runtime/agent/decision/node-place.ts'
import { rotateLogs } from '../../../runtime/agent/logs/rotate-logs.ts'
import {
  readManifestFolder,
  readManifestUrl,
} from '../../../runtime/agent/sources/manifest-folder.ts'
import { followManifests } from '../../../runtime/agent/sources/manifest-source.ts'
import { serviceVariables } from '../../../runtime/agent/sources/service-variables.ts'
import { readManifest } from '../../../runtime/agent/sources/static-pod.ts'
import { resolvConf } from '../../../runtime/container-runtime/embedded/resolv-conf.ts'
import type { Stored } from '../../../runtime/kernel/meta/object.ts'
import { silentLog } from '../../../runtime/observe/observe.ts'
import { virtualClock } from '../../../runtime/testing/virtual-clock.ts'
import { tempDirectory } from '../../support/temp.ts'
import { until } from '../../support/until.ts'

const containers = suite('runtime/agent/containers')

const Gi = 2 ** 30
const limits = { memoryBytes: 4 * Gi, enforcesCpu: true, cpuPeriodMs: 100 }

const asking = (requests = {}, most = {}): Container => ({
  ...{ name: 'main', resources: { requests, limits: most } },
})

for (const [title, container, wants] of [
  ['nothing is asked for', asking(), { cpuShares: 2, oomScoreAdj: 1000 }],
  [
    'everything is sure',
    asking({ cpu: '500m', memory: '1Gi' }, { cpu: '500m', memory: '1Gi' }),
    { cpuShares: 512, cpuPeriod: 100_000, cpuQuota: 50_000, memoryBytes: Gi, oomScoreAdj: -997 },
  ],
  [
    'a quarter of the memory is asked for',
    asking({ cpu: '1', memory: '1Gi' }),
    { cpuShares: 1024, oomScoreAdj: 750 },
  ],
  [
    'less than a millisecond of a period may be used',
    asking({}, { cpu: '1m' }),
    { cpuShares: 2, cpuPeriod: 100_000, cpuQuota: 1000, oomScoreAdj: 999 },
  ],
] as const) {
  containers(`the kernel is told of a container of which ${title}`, () => {
    assert.equal(containerResources(container, { containers: [container] }, limits), wants)
  })
}

containers('a pod is limited where each of its containers is', () => {
  const one = asking({}, { cpu: '1', memory: '1Gi' })
  const both = { containers: [one, asking({}, { cpu: '1' })] }
  assert.equal(podLimits(both, limits), { cpuShares: 2, cpuPeriod: 100_000, cpuQuota: 200_000 })
  const own = podLimits({ containers: [one] }, { ...limits, enforcesCpu: false })
  assert.equal(own, { cpuShares: 2, memoryBytes: Gi })
})

containers('a container runs as its own settings say, then as those of its pod', () => {
  const defaults = { seccomp: false, seccompFolder: '/s' }
  const spec: PodSpec = {
    containers: [],
    securityContext: { runAsUser: 1000, fsGroup: 7, seccompProfile: { type: 'RuntimeDefault' } },
  }
  const own = (securityContext: NonNullable<Container['securityContext']>) =>
    securityOf(spec, { securityContext }, defaults)
  assert.equal(own({ runAsUser: 5, capabilities: { add: ['A'], drop: ['ALL'] } }), {
    user: {
      ...{ uid: 5, supplementalGroups: [7] },
      ...{ addsCapabilities: ['A'], dropsCapabilities: ['ALL'] },
    },
    ...{ readonlyRoot: false, seccomp: 'RuntimeDefault' },
  })
  assert.is(own({ privileged: true }).privileged, true)
  assert.is(securityOf({ containers: [] }, {}, defaults).seccomp, 'Unconfined')
  const file = (localhostProfile: string) =>
    own({ seccompProfile: { type: 'Localhost', localhostProfile } }).seccomp
  assert.equal(file('a/b.json'), { file: '/s/a/b.json' })
  for (const path of ['../x', '/etc/x', 'a/../../x', '']) {
    assert.throws(() => file(path), /leads out of its folder/, path)
  }
  assert.throws(() => own({ runAsNonRoot: true, runAsUser: 0 }), /breaks non-root policy/)
})

const podOf = (spec: Partial<PodSpec> = {}, name = 'web'): Stored<Pod> =>
  ({
    ...{ kind: 'Pod', apiVersion: 'v1', metadata: { name, uid: name, namespace: 'shop' } },
    spec: { containers: [{ name: 'main' }], ...spec },
  }) as unknown as Stored<Pod>

const node = {
  ...{ clusterServers: ['10.0.0.10'], clusterDomain: 'cluster.local' },
  own: () => readResolvConf('nameserver 1.1.1.1\nsearch home .\noptions ndots:1 rotate\n'),
}

for (const [title, spec, wants] of [
  [
    'that says nothing asks the cluster',
    {},
    'search shop.svc.cluster.local svc.cluster.local cluster.local home\nnameserver 10.0.0.10\noptions ndots:5\n',
  ],
  [
    'with the network of the node asks as it does',
    { hostNetwork: true },
    'search home\nnameserver 1.1.1.1\noptions ndots:1 rotate\n',
  ],
  [
    'may ask the cluster all the same',
    { hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' },
    'search shop.svc.cluster.local svc.cluster.local cluster.local home\nnameserver 10.0.0.10\noptions ndots:5\n',
  ],
  [
    'with settings of its own has them beside, and its options first',
    {
      dnsConfig: {
        nameservers: ['9.9.9.9'],
        searches: ['x'],
        options: [{ name: 'ndots', value: '2' }],
      },
      dnsPolicy: 'Default',
    },
    'search home x\nnameserver 1.1.1.1\nnameserver 9.9.9.9\noptions rotate ndots:2\n',
  ],
  ['with the policy None has nothing else', { dnsPolicy: 'None' }, ''],
] as const) {
  containers(`a pod ${title} [G-09]`, () => {
    assert.is(resolvConf(dnsOf(podOf(spec as Partial<PodSpec>), node)), wants)
  })
}

containers('a pod finds its own names and those that it asks for in its hosts [G-09]', () => {
  const hostAliases = [{ ip: '1.2.3.4', hostnames: ['db', 'db.shop'] }]
  const text = hostsFile(podOf({ hostAliases }), ['web'], ['10.1.2.3'], () => 'of the node\n')
  assert.match(text, /^10\.1\.2\.3\tweb$/m)
  assert.match(text, /^1\.2\.3\.4\tdb\tdb\.shop$/m)
  assert.not.match(text, 'of the node')
  const shared = hostsFile(podOf({ hostNetwork: true }), ['web'], [], () => 'of the node\n')
  assert.match(shared, /^of the node$/m)
})

containers('services are found in variables, those of others only with links [G-09]', () => {
  const service = (name: string, namespace: string) =>
    ({
      metadata: { name, namespace },
      spec: { clusterIP: '10.0.0.1', ports: [{ port: 80, name: 'web-ui', protocol: 'TCP' }] },
    }) as never
  const all = [service('orch', 'default'), service('my-shop', 'shop'), service('far', 'other')]
  const found = serviceVariables(all, 'shop', 'orch')
  assert.is(found.get('ORCH_SERVICE_HOST'), '10.0.0.1')
  assert.is(found.get('MY_SHOP_SERVICE_PORT'), '80')
  assert.is(found.get('MY_SHOP_SERVICE_PORT_WEB_UI'), '80')
  assert.is(found.get('MY_SHOP_PORT'), 'tcp://10.0.0.1:80')
  assert.is(found.get('MY_SHOP_PORT_80_TCP_ADDR'), '10.0.0.1')
  assert.not(found.has('FAR_SERVICE_HOST'))
  const without = serviceVariables(all, 'shop', 'orch', false)
  assert.equal([without.has('ORCH_SERVICE_PORT'), without.has('MY_SHOP_PORT')], [true, false])
})

containers(
  'a pod for which the node has no place is refused, and says of what it wants too much',
  () => {
    const cpu = (amount: string) => ({
      containers: [{ name: 'main', resources: { requests: { cpu: amount } } }],
    })
    const facts = {
      node: { name: 'n1', labels: { disk: 'ssd' } },
      allocatable: { cpu: '2', pods: '2' },
      others: [podOf(cpu('1500m'), 'other')],
    }
    assert.is(noPlace(podOf(cpu('500m')), facts), undefined)
    assert.equal(noPlace(podOf(cpu('600m')), facts), {
      reason: 'OutOfcpu',
      message: "Node didn't have enough resource: cpu, requested: 600, used: 1500, capacity: 2000",
    })
    assert.is(noPlace(podOf({ nodeSelector: { disk: 'hdd' } }), facts)?.reason, 'NodeAffinity')
    const ports = { containers: [{ name: 'a', ports: [{ containerPort: 1, hostPort: 80 }] }] }
    const taken = { ...facts, others: [podOf(ports, 'other')] }
    assert.is(noPlace(podOf(ports), taken)?.reason, 'NodePorts')
    const full = { ...facts, others: [podOf({}, 'a'), podOf({}, 'b')] }
    assert.is(noPlace(podOf(), full)?.reason, 'OutOfpods')
    const ended = { ...podOf({}, 'b'), status: { phase: 'Succeeded' } } as Stored<Pod>
    assert.is(noPlace(podOf(), { ...full, others: [podOf({}, 'a'), ended] }), undefined)
  },
)

containers('a long log is put aside and packed, and the oldest go', async () => {
  const folder = tempDirectory()
  const file = join(folder, '0.log')
  const clock = virtualClock()
  const reopened: string[] = []
  const runtime = {
    listContainers: async () => [{ id: 'c', state: 'running', logFile: file }] as never,
    async reopenContainerLog(id: string) {
      reopened.push(id)
      writeFileSync(file, '')
    },
  }
  const options = { runtime, mostBytes: 10, mostFiles: 3, clock, log: silentLog }
  writeFileSync(file, 'short')
  await rotateLogs(options)
  assert.equal(reopened, [])
  for (let time = 0; time < 4; time++) {
    writeFileSync(file, `much too long ${time}`)
    await rotateLogs(options)
    clock.advance(1000)
  }
  assert.is(reopened.length, 4)
  const names = readdirSync(folder).sort()
  assert.is(names.length, 3, names.join(' '))
  assert.match(names.join(' '), /^0\.log 0\.log\.\d{8}-\d{6}\.gz 0\.log\.\d{8}-\d{6}$/)
  const aside = join(folder, names[2] ?? '')
  rmSync(aside)
  symlinkSync('/etc/hostname', aside)
  writeFileSync(file, 'much too long again')
  await rotateLogs(options)
  assert.not(readdirSync(folder).includes(`${names[2]}.gz`), 'a link is not packed')
  rmSync(file)
  symlinkSync('/etc/services', file)
  await rotateLogs(options)
  assert.is(reopened.length, 5, 'nor put aside')
})

containers('no name of a manifest leads out of the folders of a pod', async () => {
  const folder = tempDirectory()
  mkdirSync(join(folder, 'x'))
  const read = async (metadata: object, container = 'main') => {
    const pod = {
      kind: 'Pod',
      apiVersion: 'v1',
      metadata,
      spec: { containers: [{ name: container }] },
    }
    const bytes = Buffer.from(JSON.stringify(pod))
    const origin = { source: 'file', place: 'p.yaml', nodeName: 'n1', platform, now: 0 }
    return readManifest(bytes, origin)
  }
  const good = await read({ name: 'web', uid: '../../x' })
  assert.match(good.pods[0]?.metadata.uid ?? '', /^[0-9a-f]{32}$/)
  for (const metadata of [{ name: '../x' }, { name: 'web', namespace: '../x' }]) {
    const { pods, problems } = await read(metadata)
    assert.is(pods.length, 0)
    assert.match(problems[0] ?? '', /^p\.yaml:1:\d+: metadata\.name(space)?: /)
  }
  const { problems } = await read({ name: 'web' }, '../../main')
  assert.match(problems[0] ?? '', /^p\.yaml:1:\d+: spec\.containers\[0\]\.name: /)
})

containers('a manifest with a key twice is no pod, and says where', async () => {
  const text = 'kind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: main}]}\nspec: {}\n'
  const origin = { source: 'file', place: 'p.yaml', nodeName: 'n1', platform, now: 0 }
  const { pods, problems } = await readManifest(Buffer.from(text), origin)
  assert.equal([pods, problems], [[], ['p.yaml: line 4: key "spec" already set in map']])
})

containers('of a source that cannot be read it is not known that its pods are gone', async () => {
  const folder = tempDirectory()
  const manifest = (name: string) => ({
    ...{ kind: 'Pod', apiVersion: 'v1', metadata: { name } },
    spec: { containers: [{ name: 'main', image: 'x' }] },
  })
  const write = (name: string) =>
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(manifest(name)))
  for (const name of ['one', 'two']) write(name)
  const clock = virtualClock()
  const told: string[] = []
  const end = new AbortController()
  const origin = { nodeName: 'n', platform, now: 0 }
  const read = () => readManifestFolder(folder, origin)
  const following = followManifests(
    { read, everyMs: 1000, clock, log: silentLog },
    (pods, isWhole) =>
      told.push(
        `${isWhole} ${pods
          .map(({ metadata }) => metadata.name)
          .sort()
          .join(' ')}`,
      ),
    () => {},
    end.signal,
  )
  const next = async () => {
    const looks = told.length
    await until('it was read again', async () => {
      await clock.advanceAsync(1000)
      return told.length > looks
    })
    return told.at(-1)
  }
  await until('it was read', () => told.length > 0)
  assert.is(told[0], 'true one-n two-n')
  symlinkSync('loop', join(folder, 'loop'))
  rmSync(join(folder, 'two.json'))
  write('three')
  assert.is(await next(), 'false one-n three-n two-n')
  rmSync(join(folder, 'loop'))
  assert.is(await next(), 'true one-n three-n')
  end.abort()
  clock.advance(1000)
  await following
})

containers(
  'what is wrong with one manifest is told with its place, and the others are read',
  async () => {
    const folder = tempDirectory()
    const pod = (name: string) =>
      `{kind: Pod, apiVersion: v1, metadata: {name: ${name}}, spec: {containers: [{name: main}]}}`
    const files: Readonly<Record<string, string | Buffer>> = {
      'a-good.yaml': pod('web'),
      'b-again.yaml': `${pod('web')} # the same`,
      'c-latin.yaml': Buffer.from(pod('caf\u00e9'), 'latin1'),
      'd-long.yaml': Buffer.alloc(11 * 1024 * 1024, ' '),
      'e-empty.yaml': '',
      'f-cut.yaml': '{kind: Pod,\n metadata: {name: cut',
      'g-bomb.yaml': `l0: &l0 [x,x,x,x,x,x,x,x,x]\n${[1, 2, 3, 4, 5, 6, 7, 8, 9].map((at) => `l${at}: &l${at} [${Array(9).fill(`*l${at - 1}`)}]\n`).join('')}`,
      'h-proto.yaml': `{kind: Pod, metadata: {name: x, __proto__: {name: y}}, spec: {containers: [{name: main}]}}`,
      'i-other.yaml': '{kind: Service, apiVersion: v1, metadata: {name: web}}',
      'j-list.yaml': `{kind: PodList, items: [{kind: Node}, ${pod('other')}]}`,
    }
    for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes)
    const { pods, problems, isUnknown } = await readManifestFolder(folder, {
      ...{ nodeName: 'n1', platform, now: 0 },
    })
    assert.equal(
      pods.map(({ metadata }) => metadata.name),
      ['web-n1', 'other-n1'],
    )
    assert.is(isUnknown, undefined)
    assert.equal(problems.map((one) => one.replace(`${folder}/`, '').replace(/: .*/s, '')).sort(), [
      ...['c-latin.yaml:1:49', 'd-long.yaml', 'e-empty.yaml:1:1', 'f-cut.yaml:2:22'],
      ...['g-bomb.yaml:1:16', 'h-proto.yaml:1:33', 'i-other.yaml:1:2', 'j-list.yaml:1:26'],
      'pod default/web-n1 stands in two manifests; the first one is run',
    ])
  },
)

containers('a list that an address sends without end is not read to its end', async () => {
  const part = Buffer.alloc(65_536, ' ')
  const server = createServer((_, response) => {
    const more = () => {
      while (!response.destroyed && response.write(part));
    }
    response.on('drain', more).on('error', () => {})
    more()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/pods`
  const { problems, isUnknown } = await readManifestUrl(
    ...([url, {}, { nodeName: 'n1', platform, now: 0 }] as const),
  )
  assert.match(problems[0] ?? '', /\/pods: longer than 10485760 bytes$/)
  assert.is(isUnknown, true)
  server.closeAllConnections()
  server.close()
})

containers.run()
