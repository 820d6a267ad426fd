/** What admission leaves in the file of the audit log, beside what became of the request (Q-06, Q-10, Q-12, Q-20, U-02). */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { pod } from '../../../support/admission.ts'
import { type HttpsServer, startHttpsServer } from '../../../support/https-server.ts'
import {
  binding,
  configMap,
  enforce,
  type PolicyServer,
  policy,
  startPolicyServer,
} from '../../../support/policies.ts'
import { tempDirectory } from '../../../support/temp.ts'
import { answered, configuration, patching, type Review } from '../../../support/webhooks.ts'

interface Plane extends PolicyServer {
  readonly hooks: HttpsServer
  readonly log: string
}

const test = suite<Plane>('runtime/admission: audit log')

test.before(async (context) => {
  const log = join(tempDirectory(), 'audit.log')
  const plane = await startPolicyServer({
    audit: {
      policy: { omitStages: ['RequestReceived'], rules: [{ level: 'Metadata' }] },
      log: { output: { path: log, maxBytes: 0, maxAgeMs: 0, maxBackups: 0, compress: false } },
    },
  })
  Object.assign(context, plane, { log, hooks: await startHttpsServer(judge) })
})
test.after(async ({ server, hooks }) => {
  await server.stop()
  await hooks.stop()
})

/** Answers by the path: with a note, with a patch and a note, or with nothing that could be understood. */
function judge(review: Review, { path }: { readonly path: string }): unknown {
  const [name] = path.slice(1).split('?')
  if (name === 'broken') return { response: 'yes' }
  const auditAnnotations = { why: `asked of ${name}` }
  if (name !== 'paint') {
    return answered(review, { allowed: name === 'allow', auditAnnotations })
  }
  const patched = patching({ op: 'add', path: '/data', value: { colour: 'blue' } })(review)
  return { ...patched, response: { ...patched.response, auditAnnotations } }
}

interface Line {
  readonly responseStatus: { readonly code: number }
  readonly annotations?: Readonly<Record<string, string>>
}

/** The last line of the log. */
function lastOf(log: string): Line {
  return JSON.parse(readFileSync(log, 'utf8').trimEnd().split('\n').at(-1) ?? '') as Line
}

/** Sends a request; gives the code and the annotations of its line. */
async function noted({ ask, log }: Plane, ...request: Parameters<PolicyServer['ask']>) {
  const { status } = await ask(...request)
  const { responseStatus, annotations: all } = lastOf(log)
  assert.is(responseStatus.code, status)
  const annotations = Object.fromEntries(
    Object.entries(all ?? {}).filter(([key]) => !key.startsWith('authorization.')),
  )
  return { status, annotations }
}

const inside = '/api/v1/namespaces/default'
const maps = `${inside}/configmaps`
const webhooks = '/apis/admissionregistration.orch.io/v1'

async function withWebhook(
  { ask, hooks }: Plane,
  sort: 'mutating' | 'validating',
  name: string,
  fields: Readonly<Record<string, unknown>>,
  work: () => Promise<void>,
): Promise<void> {
  const path = `${webhooks}/${sort}webhookconfigurations`
  const body = configuration({ server: hooks }, name, fields)
  const { status, message } = await ask('POST', path, body)
  assert.is(status, 201, message)
  await work()
  await ask('DELETE', `${path}/${name}`)
}

const changing = (name: string, mutated: boolean) =>
  JSON.stringify({ configuration: name, webhook: `${name}.example.com`, mutated })
const first = 'webhook.admission.orch.io/round_0_index_0'

test('notes of webhooks stand there under their names, of permissions and of refusals', async (plane) => {
  await withWebhook(plane, 'validating', 'allow', {}, async () => {
    assert.equal(await noted(plane, 'POST', maps, configMap('a')), {
      status: 201,
      annotations: { 'allow.example.com/why': 'asked of allow' },
    })
    assert.equal((await noted(plane, 'GET', `${maps}/a`)).annotations, {})
    assert.equal(await noted(plane, 'DELETE', `${maps}/a`), {
      status: 200,
      annotations: { 'allow.example.com/why': 'asked of allow' },
    })
  })
  await withWebhook(plane, 'validating', 'deny', {}, async () => {
    assert.equal(await noted(plane, 'POST', maps, configMap('b')), {
      status: 400,
      annotations: { 'deny.example.com/why': 'asked of deny' },
    })
  })
})

test('mutating webhooks leave what they noted and whether they changed something', async (plane) => {
  await withWebhook(plane, 'mutating', 'paint', {}, async () => {
    assert.equal(await noted(plane, 'POST', maps, configMap('c')), {
      status: 201,
      annotations: {
        'paint.example.com/why': 'asked of paint',
        [`mutation.${first}`]: changing('paint', true),
      },
    })
  })
})

test('a webhook that failed leaves a note if it was ignored, and one that could have changed something always', async (plane) => {
  const ignored = { failurePolicy: 'Ignore' }
  await withWebhook(plane, 'validating', 'broken', ignored, async () => {
    assert.equal(await noted(plane, 'POST', maps, configMap('d')), {
      status: 201,
      annotations: { [`failed-open.validating.${first}`]: 'broken.example.com' },
    })
  })
  await withWebhook(plane, 'mutating', 'broken', ignored, async () => {
    assert.equal(await noted(plane, 'POST', maps, configMap('e')), {
      status: 201,
      annotations: {
        [`failed-open.mutation.${first}`]: 'broken.example.com',
        [`mutation.${first}`]: changing('broken', false),
      },
    })
  })
  await withWebhook(plane, 'mutating', 'broken', {}, async () => {
    assert.equal(await noted(plane, 'POST', maps, configMap('f')), {
      status: 500,
      annotations: { [`mutation.${first}`]: changing('broken', false) },
    })
  })
})

test('policies leave their notes, and the first failure that is to be audited', async (plane) => {
  const auditAnnotations = [{ key: 'size', valueExpression: 'string(size(object.data))' }]
  const validations = [{ expression: 'size(object.data) < 2', message: 'too many' }]
  const end = await enforce(
    plane.ask,
    [policy('sized', { auditAnnotations, validations })],
    [binding('watched', 'sized', { validationActions: ['Audit'] })],
  )
  assert.equal(await noted(plane, 'POST', maps, configMap('g', { x: '1' })), {
    status: 201,
    annotations: { 'sized/size': '1' },
  })
  const failure = {
    message: 'too many',
    policy: 'sized',
    binding: 'watched',
    expressionIndex: 0,
    validationActions: ['Audit'],
  }
  assert.equal(await noted(plane, 'POST', maps, configMap('h', { x: '1', y: '2' })), {
    status: 201,
    annotations: {
      'sized/size': '2',
      'validation.policy.admission.orch.io/validation_failure': JSON.stringify([failure]),
    },
  })
  await end()
})

test('a policy that refuses leaves its notes, too', async (plane) => {
  const auditAnnotations = [{ key: 'name', valueExpression: 'string(object.metadata.name)' }]
  const validations = [{ expression: 'false', message: 'never' }]
  const end = await enforce(
    plane.ask,
    [policy('closed', { auditAnnotations, validations })],
    [binding('closed', 'closed')],
  )
  assert.equal(await noted(plane, 'POST', maps, configMap('i')), {
    status: 422,
    annotations: { 'closed/name': 'i' },
  })
  await end()
})

test('every pod leaves the level that it was held to, and what the level for audits says of it', async (plane) => {
  const key = 'pod-security.orch.io/'
  assert.equal(await noted(plane, 'POST', `${inside}/pods`, pod('open')), {
    status: 201,
    annotations: { [`${key}enforce-policy`]: 'privileged:latest' },
  })
  const labels = { [`${key}enforce`]: 'baseline', [`${key}audit`]: 'baseline' }
  await plane.ask('POST', '/api/v1/namespaces', { metadata: { name: 'held', labels } })
  const path = '/api/v1/namespaces/held/pods'
  const annotations = { [`${key}enforce-policy`]: 'baseline:latest' }
  assert.equal(await noted(plane, 'POST', path, pod('safe')), { status: 201, annotations })
  const violations = 'would violate PodSecurity "baseline:latest": host namespaces (hostPID=true)'
  assert.equal(await noted(plane, 'POST', path, pod('host', { hostPID: true })), {
    status: 403,
    annotations: { ...annotations, [`${key}audit-violations`]: violations },
  })
  const template = { spec: pod('t', { hostPID: true }).spec }
  const templates = '/api/v1/namespaces/held/podtemplates'
  assert.equal(await noted(plane, 'POST', templates, { metadata: { name: 't' }, template }), {
    status: 201,
    annotations: { [`${key}audit-violations`]: violations },
  })
})

test.run()
