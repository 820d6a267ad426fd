// Which volume a claim gets, and what becomes of either, as tables.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { platform } from '../../../../../generated/platform.ts'
import { bindingNames } from '../../../../../runtime/controller-manager/storage/binding/binding-names.ts'
import {
  decideClaim,
  defaultClassOf,
  type ObservedClaim,
} from '../../../../../runtime/controller-manager/storage/binding/decide-claim.ts'
import {
  decideReclaim,
  decideVolume,
} from '../../../../../runtime/controller-manager/storage/binding/decide-volume.ts'
import { folderProblem } from '../../../../../runtime/controller-manager/storage/binding/host-folder.ts'
import {
  type Claim,
  findVolume,
  type Volume,
} from '../../../../../runtime/controller-manager/storage/binding/match-volume.ts'
import { wiper } from '../../../../../runtime/controller-manager/storage/binding/reclaim.ts'
import { wiperTemplates } from '../../../../../runtime/controller-manager/storage/binding/wiper-template.ts'

const test = suite('runtime/controller-manager/storage/binding: decisions (T-14)')

const names = bindingNames(platform)

function templatesOf(file: string) {
  const files = { PodTemplateFilePathHostPath: file, PodTemplateFilePathNFS: '' }
  return wiperTemplates(files as never)
}

const modes = ['ReadWriteOnce']

function volume(
  name: string,
  spec: object = {},
  more: { metadata?: object; status?: object } = {},
) {
  return {
    metadata: { name, uid: name, ...more.metadata },
    spec: { capacity: { storage: '1Gi' }, accessModes: modes, ...spec },
    status: { phase: 'Available', ...more.status },
  } as unknown as Volume
}

function claim(spec: object = {}, metadata: object = {}, status: object = { phase: 'Pending' }) {
  return {
    metadata: { name: 'c', namespace: 'shop', uid: 'u', ...metadata },
    spec: { resources: { requests: { storage: '1Gi' } }, accessModes: modes, ...spec },
    status,
  } as unknown as Claim
}

const ours = { name: 'c', namespace: 'shop' }
const sized = (storage: string) => ({ capacity: { storage } })

const matches: readonly [string, Claim, readonly Volume[], string | undefined][] = [
  [
    'the smallest that is large enough',
    claim(),
    ['5Gi', '2Gi', '500Mi'].map((size) => volume(size, sized(size))),
    '2Gi',
  ],
  [
    'that with the fewest access modes first',
    claim(),
    [volume('many', { accessModes: [...modes, 'ReadOnlyMany'] }), volume('few', sized('9Gi'))],
    'few',
  ],
  [
    'one that is meant for the claim, also if it is larger',
    claim(),
    [volume('free'), volume('meant', { ...sized('5Gi'), claimRef: ours })],
    'meant',
  ],
  [
    'one that is meant for it of another class',
    claim({ storageClassName: 'a' }),
    [volume('meant', { storageClassName: 'b', claimRef: ours })],
    'meant',
  ],
  [
    'none that is meant for a claim of the name before it',
    claim(),
    [volume('old', { claimRef: { ...ours, uid: 'old' } })],
    undefined,
  ],
  [
    'none of another class',
    claim({ storageClassName: 'a' }),
    [volume('b', { storageClassName: 'b' })],
    undefined,
  ],
  ['none that is a device', claim(), [volume('device', { volumeMode: 'Block' })], undefined],
  [
    'none without an access mode that is asked for',
    claim({ accessModes: ['ReadWriteMany'] }),
    [volume('once')],
    undefined,
  ],
  [
    'none that is not available yet',
    claim(),
    [volume('new', {}, { status: { phase: 'Pending' } })],
    undefined,
  ],
  [
    'none that is to go',
    claim(),
    [volume('going', {}, { metadata: { deletionTimestamp: 'x' } })],
    undefined,
  ],
  [
    'one that the selector selects',
    claim({ selector: { matchLabels: { a: 'b' } } }),
    [volume('bare'), volume('labelled', {}, { metadata: { labels: { a: 'b' } } })],
    'labelled',
  ],
  [
    'one of the class that an annotation names',
    claim({}, { annotations: { [names.betaClass]: 'a' } }),
    [volume('a', { storageClassName: 'a' })],
    'a',
  ],
]

for (const [title, wanted, volumes, found] of matches) {
  test(`of volumes a claim gets ${title}`, () => {
    const options = { names, delayed: false }
    assert.is(findVolume(wanted, volumes, options)?.metadata.name, found)
    assert.is(findVolume(wanted, [...volumes].reverse(), options)?.metadata.name, found)
  })
}

test('a claim that waits for its pod gets what is meant for it only', () => {
  const options = { names, delayed: true }
  assert.is(findVolume(claim(), [volume('free')], options), undefined)
  const meant = volume('meant', { claimRef: ours })
  assert.is(findVolume(claim(), [volume('free'), meant], options), meant)
})

const bound = { [names.bindCompleted]: 'yes' }
const waiting = { provisioner: 'example.com/x', volumeBindingMode: 'WaitForFirstConsumer' }
const usual: Omit<ObservedClaim, 'claim'> = {
  ...{ named: undefined, candidates: [], storageClass: undefined },
  ...{ defaultClass: undefined, waitingPods: [] },
}

const claims: readonly [string, Partial<ObservedClaim>, string, string?][] = [
  ['is bound to the volume that fits', { candidates: [volume('v')] }, 'bind'],
  ['gets the class that claims without one get', { defaultClass: 'usual' }, 'assign'],
  [
    'keeps the empty class',
    { claim: claim({ storageClassName: '' }), defaultClass: 'usual' },
    'wait',
    'FailedBinding',
  ],
  ['has a volume made for it', { claim: claim({ storageClassName: 'a' }) }, 'provision'],
  [
    'waits for a pod',
    { claim: claim({ storageClassName: 'a' }), storageClass: waiting as never },
    'wait',
    'WaitForFirstConsumer',
  ],
  [
    'waits for its pods to have nodes',
    {
      claim: claim({ storageClassName: 'a' }),
      storageClass: waiting as never,
      waitingPods: ['p', 'q'],
    },
    'wait',
    'WaitForPodScheduled',
  ],
  [
    'has a volume made once a node was chosen',
    {
      claim: claim({ storageClassName: 'a' }, { annotations: { [names.selectedNode]: 'n' } }),
      storageClass: waiting as never,
    },
    'provision',
  ],
  ['waits for the volume that it names', { claim: claim({ volumeName: 'v' }) }, 'wait'],
  [
    'is bound to the free volume that it names',
    { claim: claim({ volumeName: 'v' }), named: volume('v') },
    'bind',
  ],
  [
    'is not bound to one that is too small',
    { claim: claim({ volumeName: 'v' }), named: volume('v', sized('1Mi')) },
    'wait',
    'VolumeMismatch',
  ],
  [
    'waits where another claim has the volume that it names',
    {
      claim: claim({ volumeName: 'v' }),
      named: volume('v', { claimRef: { name: 'x', namespace: 'shop', uid: 'x' } }),
    },
    'wait',
    'FailedBinding',
  ],
  [
    'is refused where the controller named a volume that another has',
    {
      claim: claim({ volumeName: 'v' }, { annotations: { [names.boundByController]: 'yes' } }),
      named: volume('v', { claimRef: { name: 'x', namespace: 'shop', uid: 'x' } }),
    },
    'refuse',
    'FailedBinding',
  ],
  [
    'stays bound to its volume',
    {
      claim: claim({ volumeName: 'v' }, { annotations: bound }),
      named: volume('v', { claimRef: { ...ours, uid: 'u' } }),
    },
    'bind',
  ],
  [
    'is lost without its volume',
    { claim: claim({ volumeName: 'v' }, { annotations: bound }) },
    'lose',
    'ClaimLost',
  ],
  [
    'is lost where it no longer names a volume',
    { claim: claim({}, { annotations: bound }) },
    'lose',
    'ClaimLost',
  ],
  [
    'is lost where another claim has its volume',
    {
      claim: claim({ volumeName: 'v' }, { annotations: bound }),
      named: volume('v', { claimRef: { ...ours, uid: 'other' } }),
    },
    'lose',
    'ClaimMisbound',
  ],
  [
    "tells the driver that took its provisioner's place",
    { claim: claim({}, { annotations: { [names.storageProvisioner]: 'orch.io/aws-ebs' } }) },
    'migrate',
  ],
]

for (const [title, observed, done, reason] of claims) {
  test(`a claim ${title}`, () => {
    const plan = decideClaim({ ...usual, claim: claim(), ...observed }, names)
    assert.is(plan.do, done)
    assert.is('event' in plan ? plan.event?.reason : undefined, reason)
  })
}

test('of classes that claims get by themselves the newest counts, then the first by name', () => {
  const one = (name: string, creationTimestamp: string, mark = 'true') =>
    ({
      metadata: { name, creationTimestamp, annotations: { [names.defaultClass[0] ?? '']: mark } },
    }) as never
  const [older, newer] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z']
  assert.is(defaultClassOf([one('a', older), one('c', newer), one('b', newer)], names), 'b')
  assert.is(defaultClassOf([one('a', older, 'false')], names), undefined)
})

const ofClaim = { claimRef: { ...ours, uid: 'u' } }
const made = { annotations: { [names.provisionedBy]: 'example.com/x' } }

const volumes: readonly [string, Volume, Claim | undefined, string][] = [
  ['is available without a claim', volume('v'), undefined, 'phase Available'],
  [
    'is available while its claim is only named',
    volume('v', { claimRef: ours }),
    undefined,
    'phase Available',
  ],
  [
    'is bound to the claim that names it',
    volume('v', ofClaim),
    claim({ volumeName: 'v' }),
    'phase Bound',
  ],
  ['waits for its claim', volume('v', ofClaim), claim(), 'wait'],
  [
    'does not fit a claim of another mode',
    volume('v', { ...ofClaim, volumeMode: 'Block' }),
    claim(),
    'mismatch',
  ],
  ['is released once its claim is gone', volume('v', ofClaim), undefined, 'release'],
  [
    'is free again where its claim has another one',
    volume('v', ofClaim),
    claim({ volumeName: 'w' }),
    'unbind',
  ],
  [
    'goes where it was made for a claim that has another one',
    volume('v', { ...ofClaim, persistentVolumeReclaimPolicy: 'Delete' }, { metadata: made }),
    claim({ volumeName: 'w' }),
    'release',
  ],
]

for (const [title, one, its, done] of volumes) {
  test(`a volume ${title}`, () => {
    const plan = decideVolume(one, its, names)
    assert.is(['phase' in plan ? `${plan.do} ${plan.phase}` : plan.do][0], done)
  })
}

const policy = (persistentVolumeReclaimPolicy: string, source: object) => ({
  ...{ persistentVolumeReclaimPolicy, ...source },
})
const hostPath = { hostPath: { path: '/tmp/x' } }
const byNobody = 'error getting deleter volume plugin for volume "v": '

const reclaims: readonly [string, Volume, string, string?][] = [
  ['stays', volume('v', policy('Retain', hostPath)), 'kept'],
  ['is wiped', volume('v', policy('Recycle', hostPath)), 'wiped'],
  [
    'cannot be wiped',
    volume('v', policy('Recycle', { csi: {} })),
    'failed',
    'No recycler plugin found for the volume!',
  ],
  ['goes as a folder', volume('v', policy('Delete', hostPath)), 'folder'],
  ["is its driver's to delete", volume('v', policy('Delete', { csi: {} })), 'left'],
  ["is its maker's to delete", volume('v', policy('Delete', hostPath), { metadata: made }), 'left'],
  [
    'cannot be deleted, though it is known',
    volume('v', policy('Delete', { nfs: {} })),
    'failed',
    `${byNobody}no deletable volume plugin matched`,
  ],
  [
    'cannot be deleted, and is not known',
    volume('v', policy('Delete', { fc: {} })),
    'failed',
    `${byNobody}no volume plugin matched`,
  ],
]

for (const [title, one, is, message] of reclaims) {
  test(`a volume whose claim is gone ${title}`, () => {
    const plan = decideReclaim(one, names)
    assert.is(plan.is, is)
    assert.is('message' in plan ? plan.message : undefined, message)
  })
}

test('a folder elsewhere is not deleted, and the pod that wipes one has time by its size', async () => {
  assert.is(folderProblem('/tmp/a'), undefined)
  assert.match(folderProblem('/etc') ?? '', 'only supports /tmp/.+ but received provided /etc')
  const times = { MinimumTimeoutHostPath: 60, IncrementTimeoutHostPath: 30 } as never
  const template = (await templatesOf('')).templates.hostPath
  const deadline = (size: string) =>
    wiper(volume('v', { ...sized(size), ...hostPath }), 'hostPath', template, times).spec
      .activeDeadlineSeconds
  assert.equal(['1Gi', '5Gi'].map(deadline), [60, 150])
})

// D2.101
test('what is wrong with the file of a pod that wipes volumes is told with its place', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'wiper-'))
  const file = join(folder, 'wiper.yaml')
  const head = 'apiVersion: v1\nkind: Pod\n'
  const first = 'volumes: [{ name: v }]'
  const rows = [
    [`${head}spec: { ${first}, containers: [] }`],
    [head, 'spec.volumes: Required value: the first one becomes the volume that is wiped'],
    [`${head}spec: { ${first}, image: x }`, 'spec.image: unknown field'],
    [`${head}spec: { volumes: 1 }`, 'spec.volumes: '],
    [`${head}spec: { ${first} }\nspec: {}`, 'line 4: key "spec" already set in map'],
    ['apiVersion: v1\nkind: Secret', 'Secret'],
    ['a: [', ''],
    ['', ''],
  ] as const
  for (const [text, problem] of rows) {
    writeFileSync(file, text)
    const { problems } = await templatesOf(file)
    assert.is(problems.length, problem === undefined ? 0 : 1, `${text}: ${problems}`)
    const told = `the pod that wipes volumes: ${file}: `
    assert.ok(
      problems.every((one) => one.startsWith(told) && one.includes(problem ?? '')),
      `${problems}`,
    )
  }
  rmSync(folder, { recursive: true })
  assert.match((await templatesOf(file)).problems[0] ?? '', 'ENOENT')
})

test.run()
