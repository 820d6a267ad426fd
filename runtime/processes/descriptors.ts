/** The files that a process of a group begins with, beside those of every process: 3 is for messages. */
export const socketOfProcess = 4
export const sharedFile = 5
