/** One server of several processes: who starts them, and what each is to the others. */
export { type GroupAddress, type GroupMember, type GroupPort, joinGroup } from './member.ts'
export { type GroupOptions, superviseGroup } from './supervisor.ts'
