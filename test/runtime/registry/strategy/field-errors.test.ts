import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { StatusError } from '../../../../runtime/kernel/errors/status-error.ts'
import type { FieldError } from '../../../../runtime/kernel/validation/field-error.ts'
import { limitFieldErrors } from '../../../../runtime/registry/contract/errors.ts'
import { mergeFieldErrors } from '../../../../runtime/registry/strategy/field-errors.ts'
import {
  body,
  configMaps,
  deployment,
  deployments,
  inDefault,
  kindAt,
  type OpenRegistry,
  openRegistry,
  pods,
  quiet,
} from '../../../support/registry.ts'
import { assertRejects } from '../../../support/rejects.ts'

const findings = suite<OpenRegistry>('runtime/registry/strategy/field-errors')
const nodes = kindAt('api/v1/nodes')

findings.before(async (context) => {
  Object.assign(context, await openRegistry())
})
findings.after(({ close }) => close())

type Spec = Record<string, unknown>

const bare = { spec: { containers: [{ name: 'main', image: 'example/app:1' }] } }

/** A deployment with other fields in its spec. */
function webWith(name: string, spec: Spec): Record<string, unknown> {
  const web = deployment(name)
  return { ...web, spec: { ...(web.spec as Spec), ...spec } }
}

function paths({ details }: StatusError): readonly string[] {
  return (details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`)
}

const selectors: readonly (readonly [fact: string, selector: unknown])[] = [
  ['absent', undefined],
  ['null', null],
]
for (const [fact, selector] of selectors) {
  findings(
    `a required selector that is ${fact} is required, and nothing else (D-22, I-13)`,
    async ({ registry }) => {
      const error = await assertRejects(
        registry.create(inDefault(deployments), body(webWith('bare', { selector })), quiet),
        'Invalid',
      )
      const about = paths(error).filter((path) => path.startsWith('spec.selector'))
      assert.equal(about, ['spec.selector: Required value'])
    },
  )
}

findings('a finding of the first look survives an update and a patch (D-22)', async (opened) => {
  const { registry } = opened
  await registry.create(inDefault(deployments), body(deployment('later')), quiet)
  const target = inDefault(deployments, 'later')
  const bare = body(webWith('later', { selector: undefined }))
  assert.ok(
    paths(await assertRejects(registry.update(target, bare, quiet), 'Invalid')).includes(
      'spec.selector: Required value',
    ),
  )
  const gone = body({ spec: { selector: null } })
  assert.ok(
    paths(await assertRejects(registry.patch(target, 'merge', gone, quiet), 'Invalid')).includes(
      'spec.selector: Required value',
    ),
  )
})

findings('a status write is not asked for the spec (W-07)', async ({ registry }) => {
  await registry.create(inDefault(deployments), body(deployment('status')), quiet)
  const target = inDefault(deployments, 'status', 'status')
  const written = await registry.update(
    target,
    body({ metadata: { name: 'status' }, status: { replicas: 3 } }),
    quiet,
  )
  const object = written.item.object() as unknown as { status: object; spec: object }
  assert.equal(object.status, { replicas: 3 })
  assert.ok('selector' in object.spec)
})

findings('containers that are missing are missing once', async ({ registry }) => {
  const pod = { metadata: { name: 'empty' }, spec: {} }
  const error = await assertRejects(registry.create(inDefault(pods), body(pod), quiet), 'Invalid')
  assert.equal(paths(error), ['spec.containers: Required value'])
})

findings('many findings are told in part, and how many more there are', async ({ registry }) => {
  const labels = Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`k${at}`, `!${at}`]))
  const map = { metadata: { name: 'many', labels } }
  const error = await assertRejects(
    registry.create(inDefault(configMaps), body(map), quiet),
    'Invalid',
  )
  assert.ok((error.details?.causes?.length ?? 0) <= 1000)
  assert.match(error.message, /, and \d+ more\]$/)
  assert.ok(error.message.length < 400_000)
})

findings(
  'a node keeps the status that it is registered with, others lose it (W-07)',
  async (opened) => {
    const { registry } = opened
    const status = { capacity: { cpu: '2' } }
    const node = body({ metadata: { name: 'worker' }, status })
    const { item } = await registry.create({ kind: nodes }, node, quiet)
    const kept = item.object() as unknown as { status: { capacity: object } }
    assert.equal(kept.status.capacity, { cpu: '2' })
    const lost = await registry.create(
      inDefault(deployments),
      body({ ...deployment('lost'), status: { replicas: 7 } }),
      quiet,
    )
    assert.equal((lost.item.object() as unknown as { status: object }).status, {})
  },
)

const finding = (path: string, reason: FieldError['reason'], message = 'x'): FieldError => ({
  path,
  reason,
  message,
})

findings('what one look refused the next ones do not tell again', () => {
  const first = [finding('a', 'FieldValueRequired'), finding('b', 'FieldValueInvalid', 'one')]
  const later = [
    finding('b', 'FieldValueInvalid', 'two'),
    finding('b', 'FieldValueForbidden'),
    finding('c', 'FieldValueInvalid', 'one'),
  ]
  const checks = [
    finding('a', 'FieldValueInvalid'),
    finding('c', 'FieldValueInvalid', 'one'),
    finding('c', 'FieldValueInvalid', 'two'),
    finding('c', 'FieldValueInvalid', 'two'),
  ]
  const told = mergeFieldErrors([], first, later, checks)
  assert.equal(
    told.map(({ path, message }) => path + message),
    ['ax', 'bone', 'bx', 'cone', 'ctwo', 'ctwo'],
  )
})

findings('an error names at least one finding, however long', () => {
  const long = finding('a', 'FieldValueInvalid', 'x'.repeat(1_000_000))
  assert.equal(limitFieldErrors([long, long]), { named: [long], more: 1 })
  assert.equal(limitFieldErrors([]), { named: [], more: 0 })
})

findings(
  'an owner without a name is told once, in the words of metadata (W-11, E-06)',
  async (opened) => {
    const owner = { apiVersion: 'v1', kind: 'Pod', name: '', uid: '' }
    const metadata = { name: 'owned', ownerReferences: [owner] }
    const creating = opened.registry.create(inDefault(pods), body({ ...bare, metadata }), quiet)
    const about = paths(await assertRejects(creating, 'Invalid')).filter((one) =>
      one.startsWith('metadata'),
    )
    assert.equal(about, [
      'metadata.ownerReferences.name: Invalid value: "": name must not be empty',
      'metadata.ownerReferences.uid: Invalid value: "": uid must not be empty',
    ])
  },
)

findings.run()
