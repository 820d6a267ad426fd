import type { GroupMember } from '../../processes/processes.ts'

/** What a server of several processes is made by. */
export const loadProcesses = () => import('./processes.ts')

/** What this process is of a server of several; undefined where it is all of its server. Nothing is loaded then. */
export async function joinServer(): Promise<GroupMember | undefined> {
  return process.send === undefined ? undefined : (await loadProcesses()).joinGroup()
}
