/** What names of a cluster are answered with. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Service } from '../../../generated/apis/core/v1/service.ts'
import type { EndpointSlice } from '../../../generated/apis/discovery/v1.ts'
import { type ClusterNames, zoneAnswer } from '../../../runtime/cluster-dns/cluster-dns.ts'
import type { Stored } from '../../../runtime/kernel/meta/object.ts'

const tests = suite('cluster-dns: names')

const service = (name: string, spec: object) =>
  ({ metadata: { name, namespace: 'shop' }, spec }) as unknown as Stored<Service>
const services = [
  service('web', {
    ...{ clusterIP: '10.0.0.7', clusterIPs: ['10.0.0.7', 'fd00::7'] },
    ports: [{ name: 'http', port: 80 }],
  }),
  service('old', { clusterIP: '10.0.0.8', clusterIPs: ['10.0.0.8'], ports: [{ port: 80 }] }),
  service('db', { clusterIP: 'None', clusterIPs: ['None'] }),
  service('none-yet', { clusterIP: 'None', clusterIPs: ['None'] }),
  service('elsewhere', { type: 'ExternalName', externalName: 'shop.example.com' }),
]
const slices = [
  {
    ...{ metadata: { name: 'db-1', namespace: 'shop' }, addressType: 'IPv4' },
    ports: [{ name: 'sql', protocol: 'TCP', port: 5432 }],
    endpoints: [
      { addresses: ['10.1.0.1'], hostname: 'db-0', conditions: { ready: true } },
      { addresses: ['10.1.0.2'], conditions: { ready: true } },
      { addresses: ['10.1.0.3'], hostname: 'db-2', conditions: { ready: false } },
    ],
  },
] as unknown as readonly Stored<EndpointSlice>[]
const names: ClusterNames = {
  service: (namespace, name) =>
    services.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
  hasNamespace: (name) => name === 'shop',
  slicesOf: (_, name) => (name === 'db' ? slices : []),
  servicesAt: (address) => services.filter(({ spec }) => spec?.clusterIPs?.includes(address)),
  slicesAt: (address) =>
    slices.filter(({ endpoints }) => endpoints.some((one) => one.addresses.includes(address))),
  serviceOf: () => 'db',
}

/** The data of the records; what is asked of others; or that there is no such name. */
function answer(type: string, name: string): unknown {
  const found = zoneAnswer({ name, type }, names, { zone: 'cluster.local', ttl: 5 })
  if (found === undefined) return 'asked of others'
  if (!found.exists) return 'no such name'
  return found.answers.map((one) => ('data' in one ? one.data : undefined))
}

const soa = {
  ...{ mname: 'ns.dns.cluster.local', rname: 'hostmaster.cluster.local', serial: 1 },
  ...{ refresh: 7200, retry: 1800, expire: 86_400, minimum: 5 },
}
const rows: readonly (readonly [type: string, name: string, data: unknown])[] = [
  ['A', 'web.shop.svc.cluster.local', ['10.0.0.7']],
  ['A', 'WEB.shop.svc.Cluster.Local.', ['10.0.0.7']],
  ['AAAA', 'web.shop.svc.cluster.local', ['fd00::7']],
  ['ANY', 'web.shop.svc.cluster.local', ['10.0.0.7', 'fd00::7']],
  ['TXT', 'web.shop.svc.cluster.local', []],
  ['AAAA', 'old.shop.svc.cluster.local', []],
  [
    'SRV',
    'web.shop.svc.cluster.local',
    [{ priority: 0, weight: 100, port: 80, target: 'web.shop.svc.cluster.local' }],
  ],
  [
    'SRV',
    '_http._tcp.web.shop.svc.cluster.local',
    [{ priority: 0, weight: 100, port: 80, target: 'web.shop.svc.cluster.local' }],
  ],
  ['SRV', '_http._udp.web.shop.svc.cluster.local', 'no such name'],
  ['A', 'db.shop.svc.cluster.local', ['10.1.0.1', '10.1.0.2']],
  ['A', 'db-0.db.shop.svc.cluster.local', ['10.1.0.1']],
  ['A', '10-1-0-2.db.shop.svc.cluster.local', ['10.1.0.2']],
  ['A', 'db-2.db.shop.svc.cluster.local', 'no such name'],
  [
    'SRV',
    '_sql._tcp.db.shop.svc.cluster.local',
    [
      { priority: 0, weight: 100, port: 5432, target: 'db-0.db.shop.svc.cluster.local' },
      { priority: 0, weight: 100, port: 5432, target: '10-1-0-2.db.shop.svc.cluster.local' },
    ],
  ],
  ['A', 'none-yet.shop.svc.cluster.local', 'no such name'],
  ['A', 'elsewhere.shop.svc.cluster.local', ['shop.example.com']],
  ['A', 'absent.shop.svc.cluster.local', 'no such name'],
  ['A', 'shop.svc.cluster.local', []],
  ['A', 'absent.svc.cluster.local', 'no such name'],
  ['A', 'more.web.shop.svc.cluster.local', 'no such name'],
  ['A', '10-1-0-9.shop.pod.cluster.local', ['10.1.0.9']],
  ['A', 'word.shop.pod.cluster.local', 'no such name'],
  ['PTR', '7.0.0.10.in-addr.arpa', ['web.shop.svc.cluster.local']],
  ['PTR', '1.0.1.10.in-addr.arpa', ['db-0.db.shop.svc.cluster.local']],
  ['PTR', `7${'.0'.repeat(29)}.d.f.ip6.arpa`, ['web.shop.svc.cluster.local']],
  ['PTR', '9.9.9.9.in-addr.arpa', 'asked of others'],
  ['TXT', 'dns-version.cluster.local', ['1.1.0']],
  ['TXT', 'more.dns-version.cluster.local', 'no such name'],
  ['SOA', 'cluster.local', [soa]],
  ['NS', 'cluster.local', ['ns.dns.cluster.local']],
  ['A', 'cluster.local', []],
  ['A', 'other.cluster.local', 'no such name'],
  // What a search path makes of names.
  ['A', 'web.svc.cluster.local', 'no such name'],
  ['A', 'web.cluster.local', 'no such name'],
  ['A', 'example.com.shop.svc.cluster.local', 'no such name'],
  ['A', 'web.shop.svc.cluster.local.shop.svc.cluster.local', 'no such name'],
  ['A', 'web.shop.svc', 'asked of others'],
  ['A', 'notcluster.local', 'asked of others'],
  ['A', '', 'asked of others'],
  ['A', 'example.com', 'asked of others'],
]

for (const [type, name, data] of rows) {
  tests(`${type} ${name}`, () => assert.equal(answer(type, name), data))
}

tests.run()
