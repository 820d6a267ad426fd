import { type Postgres, startPostgres } from '../../tools/postgres.ts'

export { noPostgres, type Postgres, postgresPrograms, startPostgres } from '../../tools/postgres.ts'

let started: Promise<Postgres> | undefined

/** The PostgreSQL of this process, started when it is first asked for. */
export function sharedPostgres(): Promise<Postgres> {
  started ??= startPostgres()
  return started
}
