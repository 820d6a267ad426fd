import { join } from 'node:path'
import { packageRoot } from '../../codegen/main.ts'
import { readSources } from '../../codegen/schema/files/sources.ts'
import type { Api } from '../../codegen/schema/ir.ts'
import { readApi } from '../../codegen/schema/read.ts'
import { startApiServer } from '../../runtime/apiserver/apiserver.ts'
import { httpTransport } from '../../runtime/client/client.ts'
import { systemClock } from '../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../runtime/observe/observe.ts'
import { compiledScheme } from '../orch/compiled-scheme.ts'
import { type ComparedServer, serverOver } from './server.ts'

/** Both servers go by the public names. */
const platform = join(packageRoot, 'schemas/platform/kubernetes.yaml')

/**
 * A server with the public names, in memory, for the time of the run. Pods need no service account in it: a reference server without
 * its controller manager makes none.
 */
export async function ownServer(): Promise<ComparedServer> {
  const scheme = await compiledScheme({ platform }, (line) => console.error(line))
  if (scheme === undefined) throw new Error('the schema files are wrong')
  const running = await startApiServer({
    scheme,
    clock: systemClock,
    log: silentLog,
    storage: { kind: 'memory' },
    admission: { disable: ['ServiceAccount'] },
    listen: { host: '127.0.0.1', port: 0 },
  })
  const server = serverOver('ours', httpTransport({ server: running.url }))
  return { ...server, close: () => server.close().then(() => running.stop()) }
}

/** The schema files under the public names. */
export async function publicApi(): Promise<Api> {
  const roots = [{ folder: join(packageRoot, 'schemas'), prefix: '' as const }]
  const { api, findings } = readApi(await readSources(roots, platform), () => '')
  if (api === undefined) throw new Error(findings.map(({ message }) => message).join('\n'))
  return api
}
