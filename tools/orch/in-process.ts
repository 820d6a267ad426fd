/** What runs in the process of `orch up` beside the server. */
import { platform as own } from '../../generated/platform.ts'
import type { RunningApiServer } from '../../runtime/apiserver/apiserver.ts'
import { type Client, createClient } from '../../runtime/client/client.ts'
import type { UserInfo } from '../../runtime/kernel/auth/user-info.ts'

/** What runs until it is stopped, and whether it fails before. */
export interface Running {
  readonly failed: Promise<never>
  stop(): Promise<void>
}

/** Runs something until it is stopped. */
export function runUntilStopped(run: (signal: AbortSignal) => Promise<unknown>): Running {
  const end = new AbortController()
  const running = run(end.signal)
  const failed = new Promise<never>((_, reject) => running.catch(reject))
  failed.catch(() => {})
  return {
    failed,
    async stop() {
      end.abort()
      await running.catch(() => {})
    },
  }
}

/** Clients that act as users, within this process. */
export function clientsOf(server: Pick<RunningApiServer, 'dispatch'>) {
  return (user: UserInfo, program: string): Client => {
    const send = (request: Parameters<typeof server.dispatch>[0]) =>
      server.dispatch({ ...request, user })
    return createClient({ send, close: async () => {} }, { manager: program, platform: own })
  }
}
