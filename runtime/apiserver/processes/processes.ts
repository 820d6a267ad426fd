/** A server of several processes, as its supervisor and each of the processes has it. */
export { joinGroup } from '../../processes/processes.ts'
export { groupOptions, type ProcessFacts } from './group-options.ts'
export { superviseServer } from './supervise-server.ts'
