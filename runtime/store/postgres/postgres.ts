import { errorText } from '../../kernel/errors/error-text.ts'
import type { StoreDriver } from '../driver.ts'
import { isPostgresUrl, type PostgresLocation, readPostgresUrl } from './location.ts'

/** PostgreSQL. What connects to it is loaded when a store is opened. */
export const postgresDriver: StoreDriver<PostgresLocation> = {
  form: 'postgres://USER@HOST:PORT/DATABASE',
  shared: true,
  parse: (text) => (isPostgresUrl(text) ? { kind: 'postgres', url: text } : undefined),
  problem({ url }) {
    try {
      readPostgresUrl(url)
      return undefined
    } catch (error) {
      return errorText(error)
    }
  },
  async open(location, options) {
    const { openPostgresStore } = await import('./open.ts')
    return openPostgresStore(location, options)
  },
  keeper: async () => (await import('./keeper.ts')).postgresKeeper,
}
