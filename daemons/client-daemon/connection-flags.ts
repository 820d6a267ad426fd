import type { ConnectionConfig } from '../../runtime/client/client.ts'
import { loadConfig } from '../../runtime/connection/connection.ts'
import { systemClock } from '../../runtime/kernel/async/clock.ts'
import { errorText } from '../../runtime/kernel/errors/error-text.ts'

/** A connection, and what is wrong with what was said of it. */
export interface ReadConnection {
  readonly value: ConnectionConfig
  readonly problems: readonly string[]
}

const nowhere: ConnectionConfig = { server: '', namespace: 'default' }

/** The connection that a file names, to the address of `--master` if that is given. */
export async function connectionOf(file: string, master: string): Promise<ReadConnection> {
  if (master !== '' && !URL.canParse(master)) {
    return {
      value: nowhere,
      problems: [`--master ${master}: expected an address such as https://127.0.0.1:6443`],
    }
  }
  if (master !== '' && file === '') return { value: { ...nowhere, server: master }, problems: [] }
  try {
    const read = await loadConfig(file === '' ? undefined : file, { clock: systemClock })
    return { value: master === '' ? read : { ...read, server: master }, problems: [] }
  } catch (error) {
    return { value: nowhere, problems: errorText(error).split('\n') }
  }
}
