// Which ranges of addresses nodes are given (I-12, D2.154).
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Node } from '../../../../../generated/apis/core/v1/node.ts'
import { decideRanges } from '../../../../../runtime/controller-manager/cluster/node-ipam/decide-ranges.ts'
import { nodePools } from '../../../../../runtime/controller-manager/cluster/node-ipam/node-pools.ts'
import type { Stored } from '../../../../../runtime/kernel/meta/object.ts'
import { seededRandom } from '../../../../../runtime/testing/seeded-random.ts'

const test = suite('runtime/controller-manager/cluster/node-ipam: decisions')

interface Settings {
  readonly cluster: string
  readonly service?: string
  readonly secondary?: string
  readonly mask?: number
  readonly mask4?: number
  readonly mask6?: number
  readonly allocator?: string
}

const poolsOf = (given: Settings) =>
  nodePools({
    OrchCloudShared: {
      AllocateNodeCIDRs: true,
      ClusterCIDR: given.cluster,
      CIDRAllocatorType: given.allocator ?? 'RangeAllocator',
    },
    NodeIPAMController: {
      ServiceCIDR: given.service ?? '',
      SecondaryServiceCIDR: given.secondary ?? '',
      NodeCIDRMaskSize: given.mask ?? 0,
      NodeCIDRMaskSizeIPv4: given.mask4 ?? 0,
      NodeCIDRMaskSizeIPv6: given.mask6 ?? 0,
    },
  } as Parameters<typeof nodePools>[0])

const nodeOf = (name: string, podCIDRs: readonly string[] = []) =>
  ({
    metadata: { name, uid: name, creationTimestamp: '2030-01-01T00:00:00Z' },
    spec: { podCIDRs },
  }) as Stored<Node>

/** The ranges that so many new nodes are given beside those that have some; `-` for a node that is given none. */
function given(settings: Settings, count: number, having: readonly (readonly string[])[] = []) {
  const { pools, problems } = poolsOf(settings)
  assert.equal(problems, [])
  const nodes = [
    ...having.map((ranges, index) => nodeOf(`having-${index}`, ranges)),
    ...Array.from({ length: count }, (_, index) => nodeOf(`new-${index}`)),
  ]
  const plan = decideRanges(nodes, pools, [])
  return [...plan.given.map(({ ranges }) => ranges.join(' ')), ...plan.without.map(() => '-')].join(
    ', ',
  )
}

const table: readonly (readonly [string, Parameters<typeof given>, string])[] = [
  [
    'nodes get one range after another',
    [{ cluster: '10.244.0.0/16' }, 3],
    '10.244.0.0/24, 10.244.1.0/24, 10.244.2.0/24',
  ],
  [
    'of the size that is set',
    [{ cluster: '10.244.0.0/16', mask: 26 }, 2],
    '10.244.0.0/26, 10.244.0.64/26',
  ],
  [
    'of the family that is set',
    [{ cluster: '10.244.0.0/16', mask4: 25 }, 2],
    '10.244.0.0/25, 10.244.0.128/25',
  ],
  [
    'also of the other family',
    [{ cluster: 'fd00:10:20::/48' }, 2],
    'fd00:10:20::/64, fd00:10:20:1::/64',
  ],
  ['in small parts, too', [{ cluster: 'fd00::/112', mask6: 120 }, 2], 'fd00::/120, fd00::100/120'],
  [
    'across the middle of an address',
    [
      { cluster: 'fd00::/60', mask6: 68 },
      2,
      Array.from({ length: 15 }, (_, index) => [`fd00:0:0:0:${index.toString(16)}000::/68`]),
    ],
    'fd00::f000:0:0:0/68, fd00:0:0:1::/68',
  ],
  [
    'of both families at once',
    [{ cluster: '10.244.0.0/16,fd00:10:20::/48', mask4: 26, mask6: 60 }, 2],
    '10.244.0.0/26 fd00:10:20::/60, 10.244.0.64/26 fd00:10:20:10::/60',
  ],
  [
    'what other nodes have is left out',
    [{ cluster: '10.244.0.0/22' }, 4, [['10.244.1.0/24'], ['10.244.2.0/24']]],
    '10.244.0.0/24, 10.244.3.0/24, -, -',
  ],
  [
    'also if it is of another size',
    [{ cluster: '10.244.0.0/22' }, 3, [['10.244.0.0/23'], ['10.244.2.128/25']]],
    '10.244.3.0/24, -, -',
  ],
  [
    'what services have is left out',
    [{ cluster: '10.0.0.0/22', service: '10.0.1.0/24' }, 4],
    '10.0.0.0/24, 10.0.2.0/24, 10.0.3.0/24, -',
  ],
  [
    'as a part of a range',
    [{ cluster: '10.0.0.0/22', service: '10.0.1.64/26' }, 4],
    '10.0.0.0/24, 10.0.2.0/24, 10.0.3.0/24, -',
  ],
  [
    'of both families',
    [{ cluster: '10.0.0.0/23,fd00::/63', service: '10.0.0.0/24,fd00:0:0:1::/112' }, 2],
    '10.0.1.0/24 fd00::/64, -',
  ],
  [
    'in a setting of its own',
    [{ cluster: '10.0.0.0/23,fd00::/63', service: '10.0.0.0/24', secondary: 'fd00::/112' }, 2],
    '10.0.1.0/24 fd00:0:0:1::/64, -',
  ],
  [
    'services that have all leave nothing',
    [{ cluster: '10.0.0.0/22', service: '10.0.0.0/8' }, 1],
    '-',
  ],
  [
    'services elsewhere do not matter',
    [{ cluster: '10.244.0.0/23', service: '10.96.0.0/12' }, 1],
    '10.244.0.0/24',
  ],
  ['a cluster may be one range', [{ cluster: '10.0.0.0/24' }, 2], '10.0.0.0/24, -'],
  [
    'where one family has none left, nothing of the other is used up',
    [{ cluster: '10.0.0.0/24,fd00::/63' }, 3],
    '10.0.0.0/24 fd00::/64, -, -',
  ],
]

for (const [title, args, expected] of table) {
  test(title, () => assert.is(given(...args), expected))
}

const refused: readonly (readonly [string, Settings, RegExp])[] = [
  ['no range', { cluster: '' }, /^--cluster-cidr: must be set with --allocate-node-cidrs$/],
  [
    'what is no range',
    { cluster: '10.0.0.0/16,ten' },
    /^--cluster-cidr ten: is no range of addresses, which looks like 10\.244\.0\.0\/16$/,
  ],
  [
    'a range that is too small',
    { cluster: '10.0.0.0/25' },
    /^--cluster-cidr 10\.0\.0\.0\/25: is smaller than the range of a node, \/24$/,
  ],
  [
    'a range of a node that cannot be',
    { cluster: '10.0.0.0/25', mask: 40 },
    /\/40, has more than 32 bits$/,
  ],
  [
    'too many ranges',
    { cluster: 'fd00::/40' },
    /^--cluster-cidr fd00::\/40: has more than 65536 ranges of a node, \/64: make either smaller$/,
  ],
  [
    'one mask for two families',
    { cluster: '10.0.0.0/16,fd00::/56', mask: 24 },
    /^--node-cidr-mask-size: is for clusters of one family/,
  ],
  [
    'the mask of another family',
    { cluster: '10.0.0.0/16', mask6: 64 },
    /^--node-cidr-mask-size-ipv6: the cluster has no range of IPv6$/,
  ],
  [
    'the same in the other direction',
    { cluster: 'fd00::/56', mask4: 24 },
    /^--node-cidr-mask-size-ipv4: the cluster has no range of IPv4$/,
  ],
  [
    'services of one family twice',
    { cluster: '10.0.0.0/16', service: '10.1.0.0/16', secondary: '10.2.0.0/16' },
    /^--service-cluster-ip-range 10\.1\.0\.0\/16, 10\.2\.0\.0\/16: must be one range, or one of each family$/,
  ],
  [
    'an allocator that needs a cloud',
    { cluster: '10.0.0.0/16', allocator: 'CloudAllocator' },
    /^--cidr-allocator-type CloudAllocator: there is no cloud provider$/,
  ],
  [
    'one that does not exist',
    { cluster: '10.0.0.0/16', allocator: 'other' },
    /^--cidr-allocator-type other: must be RangeAllocator$/,
  ],
]

for (const [what, settings, why] of refused) {
  test(`${what} is refused with the flag and a reason`, () => {
    const { pools, problems } = poolsOf(settings)
    assert.equal([pools, problems.length], [[], 1])
    assert.match(problems[0] ?? '', why)
  })
}

test('nodes keep what they have, and what is of no range of the cluster is said', () => {
  const { pools } = poolsOf({ cluster: '10.0.0.0/16,fd00::/56' })
  const nodes = [
    nodeOf('a', ['10.0.1.0/24']),
    nodeOf('b', ['192.0.2.0/24', 'fd00::/64']),
    nodeOf('c', ['fd00:1::/64']),
  ]
  const plan = decideRanges(nodes, pools, [])
  assert.equal([plan.given, plan.without], [[], []])
  assert.equal(
    plan.outside.map(({ node, range }) => `${node.metadata.name} ${range}`),
    ['b 192.0.2.0/24', 'c fd00:1::/64'],
  )
})

test('in every history no two nodes have an address in common, and a range that was given back rests as long as may be', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const random = seededRandom(seed)
    const { pools } = poolsOf({ cluster: '10.0.0.0/20,fd00::/60', service: '10.0.3.0/24' })
    let nodes: Stored<Node>[] = []
    let next: readonly number[] = []
    let made = 0
    const rested: string[] = []
    for (let step = 0; step < 200; step++) {
      if (random() < 0.6) nodes.push(nodeOf(`n${made++}`))
      if (random() < 0.5 && nodes.length > 0) {
        const [gone] = nodes.splice(Math.floor(random() * nodes.length), 1)
        if (gone?.spec?.podCIDRs?.[0]) rested.push(gone.spec.podCIDRs[0])
      }
      if (random() < 0.05) next = []
      const plan = decideRanges(nodes, pools, next)
      next = plan.next
      nodes = nodes.map((node) => {
        const ranges = plan.given.find((one) => one.node === node)?.ranges
        return ranges === undefined || random() < 0.1 ? node : nodeOf(node.metadata.name, ranges)
      })
      const all = nodes.flatMap(({ spec }) => spec?.podCIDRs ?? [])
      assert.is(new Set(all).size, all.length, `seed ${seed}: a range twice`)
      assert.not.ok(all.includes('10.0.3.0/24'), 'services keep theirs')
      const having = nodes.filter(({ spec }) => spec?.podCIDRs?.length).length
      assert.ok(plan.without.length === 0 || having + plan.given.length >= 15, 'ranges are left')
    }
  }
})

test.run()
