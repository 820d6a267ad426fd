/** What a server keeps of many definitions: the memory of its process, before and after a client read all OpenAPI documents. */
import type { JsonObject } from '../../runtime/kernel/values/json.ts'
import { clusterStyles } from '../styles/cluster.ts'
import { dataStyles } from '../styles/data.ts'
import { deliveryStyles } from '../styles/delivery.ts'
import { largeStyles } from '../styles/large.ts'
import type { Style } from '../styles/styles.ts'
import { trafficStyles } from '../styles/traffic.ts'
import type { Report } from './report.ts'
import { residentMegabytes, startServer } from './servers.ts'

const small: readonly Style[] = [
  ...trafficStyles,
  ...deliveryStyles,
  ...dataStyles,
  ...clusterStyles,
]

const count = 149

/** Of six definitions one is as large as the largest that projects have: together they are 12 MB. */
const largeOne = 6

/** The definitions of a cluster with several projects, one after the other, then the documents as tools read them. */
export async function bench(report: Report): Promise<void> {
  const server = await startServer('memory')
  const url = `http://${server.address.host}:${server.address.port}`
  const say = (name: string, atMost: number) =>
    report(name, residentMegabytes(server.pid), 'MB', undefined, { atMost })
  for (let at = 0; at < count; at++) await define(url, at)
  say(`${count} definitions of 80 KB on average`, 200)
  await read(`${url}/openapi/v2`)
  const { paths } = (await read(`${url}/openapi/v3`)) as unknown as Index
  for (const { serverRelativeURL } of Object.values(paths)) await read(url + serverRelativeURL)
  say('and all OpenAPI documents read', 350)
  await server.stop()
}

/** The index of the documents of version 3. */
interface Index {
  readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>
}

async function read(url: string): Promise<JsonObject> {
  return (await fetch(url)).json() as Promise<JsonObject>
}

/** Creates the definition, under names of its own, and waits until its kind is served. */
async function define(url: string, at: number): Promise<void> {
  const style = (at % largeOne === 0 ? largeStyles[1] : small[at % small.length]) as Style
  const { apiVersion, kind, spec, metadata } = style.definition as unknown as Definition
  const plural = `p${at}s`
  const body = {
    ...{ apiVersion, kind },
    metadata: { ...metadata, name: `${plural}.${spec.group}` },
    spec: { ...spec, names: { plural, kind: `K${at}` } },
  }
  const path = `${url}/apis/apiextensions.orch.io/v1/customresourcedefinitions`
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
  if (answer.status !== 201) throw new Error(await answer.text())
  await answer.arrayBuffer()
  await untilEstablished(`${path}/${body.metadata.name}`)
}

async function untilEstablished(path: string): Promise<void> {
  for (;;) {
    const { status } = (await read(path)) as unknown as Definition
    const condition = status?.conditions?.find(({ type }) => type === 'Established')
    if (condition?.status === 'True') return
  }
}

interface Definition {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: JsonObject
  readonly spec: { readonly group: string }
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
  }
}
