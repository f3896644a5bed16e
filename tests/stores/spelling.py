"""The spelling of version 2 of a token's text, as docs/formats/token.md has it."""

LETTERS = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
FACTORS = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
BYTES = 18
MAC_AT = 10


def checksum(prefix, groups):
    value = 1
    spread = [ord(c) >> 5 for c in prefix] + [0] + [ord(c) & 31 for c in prefix]
    for each in spread + groups + [0] * 6:
        top = value >> 25
        value = (value & 0x1FFFFFF) << 5 ^ each
        for bit, factor in enumerate(FACTORS):
            value ^= factor if top >> bit & 1 else 0
    value ^= 0x2BC830A3
    return [value >> 5 * (5 - place) & 31 for place in range(6)]


def respelled(token):
    """A token of version 1 in the text of version 2."""
    prefix, text = token.split("1", 1)
    bits = "".join(f"{LETTERS.index(each):05b}" for each in text[:-6])
    data = bytearray(int(bits[at:at + 8], 2) for at in range(0, 8 * BYTES, 8))
    data[0] = 2 << 4 | data[0] & 15
    for at in range(1, MAC_AT):
        data[at] ^= data[MAC_AT + (at - 1) % 8] ^ (0x5A if at == 9 else 0)
    bits = "".join(f"{each:08b}" for each in data)
    bits += "0" * (-len(bits) % 5)
    groups = [int(bits[at:at + 5], 2) for at in range(0, len(bits), 5)]
    return prefix + "1" + "".join(LETTERS[each] for each in groups + checksum(prefix, groups))
