/**
 * The readers accept and refuse what ajv does over the published schemas: two engines that share no code. A server refuses
 * what they refuse: nothing on the way from a request to the reader lets it through, or refuses more of it.
 */
import { Ajv, type ErrorObject } from 'ajv'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../generated/scheme.ts'
import { type RunningApiServer, startApiServer } from '../../runtime/apiserver/apiserver.ts'
import { systemClock } from '../../runtime/kernel/async/clock.ts'
import type { AnyKind } from '../../runtime/kernel/descriptors/kind.ts'
import { createReport, type ReadReport } from '../../runtime/kernel/validation/field-error.ts'
import { silentLog } from '../../runtime/observe/observe.ts'
import { componentSchemas } from '../support/schemas.ts'

const oracle = suite('generated: readers against ajv')
/** A longer run: `ORCH_ORACLE_DOCUMENTS=10000`, with another `ORCH_ORACLE_SEED`. */
const documents = Number(process.env.ORCH_ORACLE_DOCUMENTS ?? 600)
const oracleSeed = Number(process.env.ORCH_ORACLE_SEED ?? 7)

const quantity = /^[+-]?(\d+(\.\d*)?|\.\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$/
const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: true })
const install = addFormats as unknown as (ajv: Ajv) => void
install(ajv)
ajv.addFormat('quantity', quantity)
const definitions = await componentSchemas()
ajv.addSchema({ $id: 'orch', definitions })

type Mutable = { [key: string]: unknown } | unknown[]

const pod = {
  metadata: { name: 'web', labels: { app: 'web' }, finalizers: ['a.b/c'] },
  spec: {
    containers: [
      {
        name: 'web',
        image: 'web:1',
        args: ['-v'],
        ports: [{ containerPort: 80, protocol: 'UDP' }],
        env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
        resources: { limits: { cpu: '500m', memory: '1Gi' } },
        livenessProbe: { httpGet: { path: '/', port: 'http' }, periodSeconds: 5 },
        volumeMounts: [{ name: 'data', mountPath: '/data' }],
        securityContext: { runAsUser: 1000, capabilities: { add: ['NET_ADMIN'] } },
      },
    ],
    volumes: [{ name: 'data', secret: { secretName: 's', items: [{ key: 'k', path: 'p' }] } }],
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 5,
    tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] }],
        },
      },
    },
  },
  status: {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2024-01-01T00:00:00Z' }],
  },
}

const seeds: Readonly<Record<string, unknown>> = {
  'api/v1/pods': pod,
  'apis/apps/v1/deployments': {
    metadata: { name: 'web' },
    spec: {
      replicas: 2,
      selector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 1 } },
      template: { metadata: { labels: { app: 'web' } }, spec: pod.spec },
    },
  },
  'api/v1/services': {
    metadata: { name: 'web' },
    spec: {
      type: 'NodePort',
      selector: { app: 'web' },
      ports: [{ name: 'http', port: 80, targetPort: 'http', nodePort: 30080 }],
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 5 } },
    },
  },
  'api/v1/secrets': {
    metadata: { name: 's' },
    data: { k: 'aGk=' },
    immutable: true,
    type: 'Opaque',
  },
  'apis/coordination.orch.io/v1/leases': {
    metadata: { name: 'l' },
    spec: {
      holderIdentity: 'me',
      leaseDurationSeconds: 5,
      renewTime: '2024-01-01T00:00:00.000000Z',
    },
  },
}

const replacements = ['x y', 7, 3.5, true, -1, 5e9, ['x y'], [7], { a: 'x y' }, { a: 7 }, [[]]]

/** Every place in a value, as paths. */
function placesIn(value: unknown, path: readonly (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return []
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value)
  return keys.flatMap((key) => {
    const here = [...path, key]
    return [here, ...placesIn((value as Record<string | number, unknown>)[key], here)]
  })
}

/** Replaces what stands at a place, or takes it out; kept structs stay, since the schema does not say they are. */
function mutate(seed: unknown, place: readonly (string | number)[], change: unknown): unknown {
  const copy = structuredClone(seed) as Mutable
  let parent = copy as Record<string | number, unknown>
  for (const step of place.slice(0, -1)) {
    parent = parent[step] as typeof parent
    // An earlier change took away what was to be changed here.
    if (typeof parent !== 'object' || parent === null) return seed
  }
  const last = place.at(-1)!
  const kept = place.length === 1 || (typeof last === 'number' && change === undefined)
  if (change === undefined && !kept) delete parent[last]
  else parent[last] = change ?? 7
  return copy
}

function refused(kind: AnyKind, value: unknown): ReadReport {
  const report = createReport()
  kind.read(value, report)
  return report
}

/** Where objects of a kind with namespaces are created, and nothing is stored. */
function requestPath(route: string): string {
  const [, prefix, plural] = /^(.*)\/([^/]*)$/.exec(route) ?? []
  return `/${prefix}/namespaces/default/${plural}?dryRun=All`
}

/** What a server says of an object. */
async function answer(
  server: RunningApiServer,
  path: string,
  value: unknown,
): Promise<{ readonly code: number; readonly message?: string }> {
  const body = JSON.stringify(value)
  const answered = await server.dispatch({ method: 'POST', path, body, headers: {} })
  const text = await new Response(ReadableStream.from(answered.body)).text()
  return {
    code: answered.status,
    ...(answered.status >= 300 && { message: JSON.parse(text).message }),
  }
}

function schemaFor(kind: AnyKind) {
  const group = kind.group === '' ? 'core' : kind.group.split('.')[0]
  const name = `io.orch.api.${group}.${kind.version}.${kind.kind}`
  return ajv.compile({ $ref: `orch#/definitions/${name}` })
}

/** What the published schema says and readers do not: a negative grace period is mended, a node port is the allocator's to refuse. */
function isPublishedOnly({ keyword, instancePath }: ErrorObject): boolean {
  if (keyword === 'minimum' && instancePath.endsWith('/terminationGracePeriodSeconds')) return true
  return /^m(?:in|ax)imum$/.test(keyword) && instancePath.endsWith('/nodePort')
}

/** What is absent and required is the reader's to refuse, or the checks of the kind judge its zero: of that only they can speak. */
function isAbsent({ keyword }: ErrorObject): boolean {
  return keyword === 'required'
}

for (const [route, seed] of Object.entries(seeds)) {
  const kind = scheme.routes[route]!
  const validate = schemaFor(kind)

  oracle(`${route}: both accept the seed`, () => {
    const { typeErrors, errors } = refused(kind, seed)
    assert.equal([...typeErrors, ...errors], [])
    assert.ok(validate(seed), ajv.errorsText(validate.errors))
  })

  oracle(
    `${route}: both, and a server, agree on what changes at any places make of it`,
    async () => {
      const server = await startApiServer({
        scheme,
        storage: { kind: 'memory' },
        clock: systemClock,
        log: silentLog,
      })
      const path = requestPath(route)
      const change = fc.tuple(
        fc.constantFrom(...placesIn(seed)),
        fc.constantFrom(undefined, ...replacements),
      )
      const changes = fc.array(change, { minLength: 1, maxLength: 3 })
      const property = fc.asyncProperty(changes, async (made) => {
        for (const [where, what] of made) {
          // An absent spec is checked as if it were empty, which JSON Schema has no word for.
          fc.pre(!(where.at(-1) === 'template' && typeof what === 'object'))
          // In a status only types are judged, and the published schema says more of it.
          fc.pre(where[0] !== 'status')
        }
        const value = made.reduce(
          (before: unknown, [where, what]) => mutate(before, where, what),
          seed,
        )
        validate(value)
        const errors = (validate.errors ?? []).filter((error) => !isPublishedOnly(error))
        fc.pre(errors.length === 0 || !errors.every(isAbsent))
        const accepted = errors.length === 0
        const report = refused(kind, value)
        const paths = [...report.typeErrors, ...report.errors].map((error) => error.path)
        const said = `${JSON.stringify(made)}: ajv ${ajv.errorsText(validate.errors)}; readers ${paths}`
        assert.is(paths.length === 0, accepted, said)
        const answered = await answer(server, path, value)
        const fits =
          report.typeErrors.length > 0
            ? answered.code === 400
            : accepted
              ? answered.code !== 400
              : answered.code === 422
        assert.ok(fits, `${said}; server ${JSON.stringify(answered)}`)
      })
      try {
        await fc.assert(property, {
          numRuns: documents,
          seed: oracleSeed,
          includeErrorInReport: true,
        })
      } finally {
        await server.stop()
      }
    },
  )
}

oracle.run()
