import { scheme } from '../../generated/scheme.ts'
import { apiVersionOf } from '../../runtime/kernel/meta/object.ts'
import {
  decodeJson,
  encodeJson,
  loadProtobuf,
  readObject,
} from '../../runtime/serializer/serializer.ts'
import { startControlPlane } from '../../runtime/testing/testing.ts'
import type { Report } from './report.ts'

const kind = scheme.routes['apis/apps/v1/deployments']!
/** Protobuf bytes name their kind apart from the object. */
const type = { kind: kind.kind, apiVersion: apiVersionOf(kind) }

/** A Deployment of 2 KiB in protobuf and in JSON, and lists of a thousand in both. */
export async function bench(report: Report): Promise<void> {
  const load = performance.now()
  const codec = await loadProtobuf((await scheme.protobuf?.())!)
  report('loading the tables', performance.now() - load, 'ms')
  const { object } = readObject(kind, decodeJson(JSON.stringify(sample('web'))).value)
  const json = Buffer.from(encodeJson(object)).toString()
  const bytes = codec.encodeObject(type, kind.proto!, object)
  report('size', bytes.length, 'bytes', { name: 'JSON', value: json.length })
  const stringify = micros(() => JSON.stringify(object))
  const parse = micros(() => JSON.parse(json))
  const write = micros(() => codec.encodeObject(type, kind.proto!, object))
  const read = micros(() => codec.decodeObject(bytes, type))
  report('write', write, 'us', { name: 'JSON.stringify', value: stringify })
  report('read', read, 'us', { name: 'JSON.parse', value: parse })
  const strictly = micros(() => decodeJson(json))
  report('read', read, 'us', { name: 'reading JSON as strictly', value: strictly })
  await lists(report)
}

/** Lists over the whole server. The first in Protobuf translates every object; later ones find them translated. */
async function lists(report: Report): Promise<void> {
  const { scheme: served, transport, stop } = await startControlPlane()
  const path = '/apis/apps/v1/namespaces/default/deployments'
  const headers = { 'content-type': 'application/json' }
  for (let at = 0; at < 1000; at++) {
    const body = JSON.stringify(sample(`web-${at}`))
    const { status } = await transport.send({ method: 'POST', path, headers, body })
    if (status !== 201) throw new Error(`a Deployment was refused with ${status}`)
  }
  const ask = async (accept: string): Promise<number> => {
    const began = performance.now()
    const { body } = await transport.send({ method: 'GET', path, headers: { accept } })
    for await (const _ of body);
    return performance.now() - began
  }
  await ask('application/json')
  const json = { name: 'the same in JSON', value: await ask('application/json') }
  const protobuf = `application/vnd.${served.platform.vendor}.protobuf`
  report('list of 1,000, for the first time', await ask(protobuf), 'ms', json)
  report('list of 1,000, again', await ask(protobuf), 'ms', json)
  await stop()
}

/** Microseconds of one call, over some thousand of them. */
function micros(work: () => unknown): number {
  for (let at = 0; at < 3000; at++) work()
  const calls = 20_000
  const began = performance.now()
  for (let at = 0; at < calls; at++) work()
  return ((performance.now() - began) / calls) * 1000
}

/** A Deployment of two containers with most of what people write into one. */
function sample(name: string): object {
  const container = (index: number) => ({
    name: `c${index}`,
    image: 'registry.example.com/team/app:1.2.3',
    ports: [{ containerPort: 8080, name: 'http' }],
    env: [
      { name: 'MODE', value: 'production' },
      { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    ],
    resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
    livenessProbe: { httpGet: { path: '/healthz', port: 8080 }, initialDelaySeconds: 5 },
  })
  const labels = { app: name, tier: 'front' }
  return {
    metadata: { name, labels, annotations: { note: 'n'.repeat(200) } },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels },
        spec: {
          containers: [container(0), container(1)],
          volumes: [{ name: 'config', configMap: { name: 'config' } }],
        },
      },
    },
  }
}
