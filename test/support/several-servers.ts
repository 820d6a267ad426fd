import type { ApiServerOptions } from '../../runtime/apiserver/apiserver.ts'
import { type CustomServer, startCustom } from './custom.ts'
import { noPostgres, postgresPrograms, sharedPostgres } from './postgres.ts'

/** Why no servers can share a database here; undefined if they can. */
export const noSeveralServers = postgresPrograms === undefined ? noPostgres : undefined

/** Starts servers on one schema of the PostgreSQL of this process. */
export async function startServers(
  count: number,
  schema: string,
  options: Partial<ApiServerOptions> = {},
): Promise<readonly CustomServer[]> {
  const storage = { kind: 'postgres', url: (await sharedPostgres()).url(schema) } as const
  return Promise.all(Array.from({ length: count }, () => startCustom({ ...options, storage })))
}
