import { join } from 'node:path'
import { packageRoot } from '../../codegen/main.ts'
import { readSources } from '../../codegen/schema/files/sources.ts'
import type { Api } from '../../codegen/schema/ir.ts'
import { readApi } from '../../codegen/schema/read.ts'
import { startApiServer } from '../../runtime/apiserver/apiserver.ts'
import { httpTransport } from '../../runtime/client/client.ts'
import { systemClock } from '../../runtime/kernel/async/clock.ts'
import type { Scheme } from '../../runtime/kernel/descriptors/scheme.ts'
import { silentLog } from '../../runtime/observe/observe.ts'
import { loadProtobuf, type ProtobufCodec } from '../../runtime/serializer/serializer.ts'
import { compiledScheme } from '../orch/compiled-scheme.ts'
import { type ComparedServer, serverOver } from './server.ts'

/** Both servers go by the public names. */
const platform = join(packageRoot, 'schemas/platform/kubernetes.yaml')

/**
 * A server with the public names, in memory, for the time of the run. Pods need no service account in it: a reference server without
 * its controller manager makes none, though it protects claims and volumes as if there were one.
 */
export async function ownServer(scheme: Scheme, codec: ProtobufCodec): Promise<ComparedServer> {
  const running = await startApiServer({
    scheme,
    clock: systemClock,
    log: silentLog,
    storage: { kind: 'memory' },
    admission: { enable: ['StorageObjectInUseProtection'], disable: ['ServiceAccount'] },
    listen: { host: '127.0.0.1', port: 0 },
  })
  const server = serverOver('ours', httpTransport({ server: running.url }), codec)
  return { ...server, close: () => server.close().then(() => running.stop()) }
}

/** The kinds under the public names. */
export async function publicScheme(): Promise<Scheme> {
  const scheme = await compiledScheme({ platform }, (line) => console.error(line))
  if (scheme === undefined) throw new Error('the schema files are wrong')
  return scheme
}

/** What writes and reads the Protobuf of a scheme. */
export async function protobufCodecOf({ protobuf }: Scheme): Promise<ProtobufCodec> {
  const tables = await protobuf?.()
  if (tables === undefined) throw new Error('the scheme has no Protobuf')
  return loadProtobuf(tables)
}

/** The schema files under the public names. */
export async function publicApi(): Promise<Api> {
  const roots = [{ folder: join(packageRoot, 'schemas'), prefix: '' as const }]
  const { api, findings } = readApi(await readSources(roots, platform), () => '')
  if (api === undefined) throw new Error(findings.map(({ message }) => message).join('\n'))
  return api
}
