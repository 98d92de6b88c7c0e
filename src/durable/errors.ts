import { errorTable } from "../errors.ts";
import { describeOwner, type Owner } from "./owner.ts";

/** The errors of locks, and of files that amp writes as a whole. */
export const durableErrors = errorTable({
  usage: {
    lock_place_not_folder: (folder: string) => ({
      text: `Cannot create a lock in ${folder}: it is not a folder`,
      detail: "amp does not follow links there.",
      remedy: "Move it away.",
    }),
    lock_place_without_links: (folder: string) => ({
      text: `Cannot create a lock in ${folder}`,
      detail: "The file system does not support hard links.",
      remedy: "Choose a folder on another file system.",
    }),
    file_is_link: (path: string, target: string) => ({
      text: `Cannot write ${path}: it is a symbolic link to ${target}`,
      remedy: "Give the path of the file itself, or delete the link.",
    }),
  },
  conflict: {
    lock_lost: (path: string) => ({
      text: `The lock of ${path} was removed while it was held`,
      remedy: "Another run may be in progress: check its changes before you run the command again.",
    }),
    locked: (path: string, folder: string, owner: Owner | undefined) => ({
      text: `${path} is locked by another run`,
      detail: owner && `${owner.command}, ${describeOwner(owner)}, since ${owner.since}`,
      remedy: `Wait for it to finish. If it is no longer running, remove ${folder}.`,
      data: owner && { holder: owner },
    }),
  },
});
