import { promisify } from "node:util";
import { crc32, deflateRaw } from "node:zlib";

/** A zip archive of one file, with the first time that the format knows. */
export async function zipOf(name: string, bytes: Uint8Array): Promise<Buffer> {
  const packed = await promisify(deflateRaw)(bytes, { level: 9 });
  const path = Buffer.from(name);
  // Deflated; 0:00 of 1 January 1980; checksum, sizes, length of the name, no extra field.
  const about = Buffer.alloc(26);
  about.writeUInt16LE(20, 0);
  about.writeUInt16LE(8, 4);
  about.writeUInt16LE(0x21, 8);
  about.writeUInt32LE(crc32(bytes), 10);
  about.writeUInt32LE(packed.length, 14);
  about.writeUInt32LE(bytes.length, 18);
  about.writeUInt16LE(path.length, 22);
  const local = Buffer.concat([Buffer.from("PK\x03\x04"), about, path, packed]);
  // Made by version 2.0; no comment, on the first disk, without attributes, at the start.
  const listed = Buffer.concat([
    Buffer.from("PK\x01\x02\x14\x00", "latin1"),
    about,
    Buffer.alloc(14),
    path,
  ]);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, listed, end]);
}
