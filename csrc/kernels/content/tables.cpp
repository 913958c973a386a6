#include "kernels/content/tables.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

#include "kernels/content/line_reader.hpp"
#include "kernels/content/records.hpp"
#include "kernels/detect/looks.hpp"
#include "kernels/parallel.hpp"
#include "kernels/text/unicode.hpp"
#include "kernels/text/utf8.hpp"

namespace tersely::content {
namespace {

using text::ascii_alpha;
using text::ascii_digit;

using View = std::string_view;

constexpr std::size_t kLooked = 12288;      // bytes in which the delimiter is looked for
constexpr std::size_t kWidest = 1024;       // characters of a line that are looked at for borders
constexpr std::size_t kSampledLines = 512;  // of a block, by which its borders are found

bool blank(char byte) { return byte == ' ' || byte == '\t' || byte == '\r'; }

View trimmed(View cell) {
    return text::trimmed_of(cell, [](char byte) { return blank(byte) || byte == '"'; });
}

View row_of(View text, const TableLayout& layout, std::size_t row) {
    const auto start = static_cast<std::size_t>(layout.start[row]);
    return text.substr(start, static_cast<std::size_t>(layout.end[row]) - start);
}

bool is_rule(View line) {
    std::size_t dashes = 0;
    for (std::size_t at = 0; at < line.size(); ++at) {
        const char byte = line[at];
        const View drawn = line.substr(at, 2);  // of three bytes
        if (byte == '-' || byte == '=') {
            ++dashes;
        } else if (drawn == "\xE2\x94" || drawn == "\xE2\x95") {
            const View sign = line.substr(at, 3);
            dashes += sign == "─" || sign == "━" || sign == "═" ? 1U : 0U;
            at += 2;
        } else if (byte != '+' && byte != '|' && byte != ':' && !blank(byte)) {
            return false;
        }
    }
    return dashes >= 3;
}

// Calls each(column, first byte, behind the last) for the cells of a delimited row; returns where the row ends.
template <typename Each>
std::size_t read_delimited(View text, std::size_t& at, char delimiter, Each each) {
    const bool quotes = delimiter != '|';
    std::size_t column = 0;
    std::size_t cell = at;
    bool quoted = false;
    bool starts = true;
    std::size_t i = at;
    for (; i < text.size(); ++i) {
        const char byte = text[i];
        if (byte == '"' && quotes) {
            if (quoted || starts || text[i - 1] == '"') quoted = !quoted;
            starts = false;
        } else if (quoted) {
            continue;
        } else if (byte == '\n') {
            break;
        } else if (byte == delimiter) {
            each(column++, cell, i);
            cell = i + 1;
            starts = true;
        } else {
            starts = false;
        }
    }
    each(column, cell, i);
    at = std::min(i + 1, text.size());
    return i > 0 && i > cell && text[i - 1] == '\r' ? i - 1 : i;
}

// "+----+----+" of boxes, without which a table can be read.
bool is_border(View line) { return line.size() > 2 && line[0] == '+' && is_rule(line); }

template <typename Each>
void each_line(View text, Each each) {
    for (std::size_t begin = 0; begin < text.size();) {
        check_cancelled();
        std::size_t stop = text.find('\n', begin);
        if (stop == View::npos) stop = text.size();
        std::size_t end = stop;
        while (end > begin && blank(text[end - 1])) --end;
        each(begin, end);
        begin = stop + 1;
    }
}

// The lines of a block, and the borders of its columns.
struct Block {
    std::vector<std::size_t> start, end;
    std::size_t lines() const { return start.size(); }
};

View line_of(View text, const Block& block, std::size_t line) {
    return text.substr(block.start[line], block.end[line] - block.start[line]);
}

// Calls each(line) for some of a block's lines that are no rules; how many they are.
template <typename Each>
std::size_t each_sampled(View text, const Block& block, Each each) {
    std::size_t lines = 0;
    const std::size_t step = block.lines() / kSampledLines + 1;
    for (std::size_t line = 0; line < block.lines(); line += step) {
        const View view = line_of(text, block, line);
        if (is_rule(view)) continue;
        ++lines;
        each(view);
    }
    return lines;
}

// Calls each(character) for characters of a line that are not blank.
template <typename Each>
void each_written(View line, Each each) {
    std::size_t place = 0;
    for (const char byte : line) {
        if (text::is_continuation(byte)) continue;
        if (place >= kWidest) return;
        if (!blank(byte)) each(place);
        ++place;
    }
}

std::size_t width_of(View line) {
    return std::min(kWidest, static_cast<std::size_t>(std::count_if(
                                 line.begin(), line.end(), [](char byte) { return !text::is_continuation(byte); })));
}

// Where columns begin, and bits of characters that are blank between them.
struct Borders {
    std::vector<std::uint32_t> columns;
    std::vector<std::uint8_t> gutter;  // a character
    std::uint32_t words = 0;           // not 0: so many columns, of a word each

    std::size_t size() const { return words != 0 ? words : columns.size(); }
};

std::size_t words_in(View line) {
    std::size_t words = 0;
    for (std::size_t i = 0; i < line.size(); ++i) words += !blank(line[i]) && (i == 0 || blank(line[i - 1])) ? 1U : 0U;
    return words;
}

Borders aligned(View text, const Block& block) {
    std::vector<std::size_t> written(kWidest + 1);
    std::vector<std::size_t> reach(kWidest + 2);
    const std::size_t lines = each_sampled(text, block, [&](View line) {
        each_written(line, [&](std::size_t place) { ++written[place]; });
        ++reach[width_of(line)];
    });
    Borders borders;
    borders.gutter.resize(kWidest);
    if (lines < 2) return borders;
    const std::size_t allowed = lines < 6 ? 0 : std::max<std::size_t>(1, lines / 10);
    for (std::size_t place = kWidest; place-- > 0;) reach[place] += reach[place + 1];  // lines that are longer
    bool inside = false;
    for (std::size_t place = 0; place < kWidest && 2 * reach[place + 1] >= lines; ++place) {
        const bool gap = written[place] <= allowed;
        borders.gutter[place] = gap;
        if (!gap && !inside) borders.columns.push_back(static_cast<std::uint32_t>(place));
        inside = !gap;
    }
    return borders;
}

bool keeps_to(View line, const Borders& borders) {
    if (borders.words != 0) return words_in(line) >= borders.words;
    bool clean = true;
    each_written(line, [&](std::size_t place) { clean = clean && borders.gutter[place] == 0; });
    return clean;
}

Borders borders_of(View text, const Block& block) {
    Borders borders = aligned(text, block);
    std::size_t clean = 0;
    std::vector<std::uint32_t> counts;
    const std::size_t lines = each_sampled(text, block, [&](View line) {
        clean += keeps_to(line, borders) ? 1U : 0U;
        counts.push_back(static_cast<std::uint32_t>(words_in(line)));
    });
    const bool enough =
        borders.columns.size() >= 3 && static_cast<double>(clean) >= kAligned * static_cast<double>(lines);
    if (enough || lines < kFewestRows) return borders;
    std::sort(counts.begin(), counts.end());
    const std::uint32_t words = counts[(lines + 9) / 10];
    if (words >= 3) borders.words = words;
    return borders;
}

void cells_by_words(View line, std::size_t words, std::vector<TableCell>& cells) {
    for (std::size_t i = 0; i < line.size();) {
        if (blank(line[i])) {
            ++i;
            continue;
        }
        std::size_t end = i;
        while (end < line.size() && !blank(line[end])) ++end;
        if (cells.size() + 1 == std::min(words, kMostCells)) end = line.size();
        cells.push_back({cells.size(), line.substr(i, end - i)});
        i = end;
    }
}

// The cells of a line by borders. Where a cell reaches over a border, words go to the column in which they begin, or,
// if there are as many words as columns, one to each.
void cells_by_borders(View line, const std::vector<std::uint32_t>& columns, std::vector<TableCell>& cells) {
    struct Word {
        std::size_t place, start, end;
    };
    std::array<Word, kMostCells> words{};
    std::size_t size = 0;
    std::size_t place = 0;
    bool inside = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (!blank(line[i])) {
            if (!inside && size < kMostCells) words[size++] = {place, i, i};
            inside = true;
            words[size - 1].end = i + 1;
        } else {
            inside = false;
        }
        place += text::is_continuation(line[i]) ? 0 : 1;
    }
    if (size == columns.size()) {
        for (std::size_t i = 0; i < size; ++i)
            cells.push_back({i, line.substr(words[i].start, words[i].end - words[i].start)});
        return;
    }
    std::size_t column = 0;
    for (std::size_t i = 0; i < size;) {
        while (column + 1 < columns.size() && columns[column + 1] <= words[i].place) ++column;
        std::size_t last = i;
        while (last + 1 < size && (column + 1 >= columns.size() || words[last + 1].place < columns[column + 1])) ++last;
        cells.push_back({column, line.substr(words[i].start, words[last].end - words[i].start)});
        i = last + 1;
    }
}

void cells_in(View line, const Borders& borders, std::vector<TableCell>& cells) {
    cells.clear();
    if (borders.words != 0) {
        cells_by_words(line, borders.words, cells);
    } else {
        cells_by_borders(line, borders.columns, cells);
    }
}

bool is_numeric(View cell) { return !cell.empty() && (ascii_digit(cell[0]) || (cell[0] == '-' && cell.size() > 1)); }

bool in_capitals(View line) {
    std::size_t letters = 0;
    for (const char byte : line) {
        if (text::ascii_lower(byte)) return false;
        letters += ascii_alpha(byte) ? 1U : 0U;
    }
    return letters >= 3;
}

// Lines of a block before its rows: text, then a header.
struct Heading {
    std::size_t text = 0, header = 0;
};

Heading heading_of(View text, const Block& block, const Borders& borders) {
    Heading found;
    const std::size_t first = std::min<std::size_t>(block.lines(), 8);
    for (std::size_t line = first; line-- > 1;) {
        if (!is_rule(line_of(text, block, line)) || is_rule(line_of(text, block, line - 1))) continue;
        std::size_t top = line;  // above the rule, as many lines as keep to the columns
        while (top > 0 && line - top < 3 && !is_rule(line_of(text, block, top - 1)) &&
               (top == line || keeps_to(line_of(text, block, top - 1), borders)))
            --top;
        return {top, line + 1 - top};
    }
    const auto like_header = [&](std::size_t line) {
        const std::size_t words = words_in(line_of(text, block, line));
        return keeps_to(line_of(text, block, line), borders) || 10 * words >= 7 * borders.size();
    };
    while (found.text + kFewestRows <= block.lines() && found.text < 6 && !like_header(found.text)) ++found.text;
    if (found.text + kFewestRows > block.lines() || found.text == 6) found.text = 0;
    std::vector<TableCell> cells;
    const auto numbers = [&](std::size_t line) {
        cells_in(line_of(text, block, line), borders, cells);
        return std::count_if(cells.begin(), cells.end(), [](const TableCell& cell) { return is_numeric(cell.value); });
    };
    const View top = line_of(text, block, found.text);
    if (numbers(found.text) > 0) return found;
    std::size_t with = 0;
    const std::size_t stop = std::min(block.lines(), found.text + 17);
    for (std::size_t line = found.text + 1; line < stop; ++line) with += numbers(line) > 0 ? 1U : 0U;
    if (2 * with > stop - found.text - 1 || in_capitals(top) || !keeps_to(top, borders)) found.header = 1;
    return found;
}

using detect::is_remark;

std::vector<Block> blocks_of(View text) {
    std::vector<Block> blocks;
    bool open = false, remarks = false;
    each_line(text, [&](std::size_t begin, std::size_t end) {
        if (begin == end) {
            open = false;
            return;
        }
        // Remarks above and below rows, as dig and hosts files have them, are no rows; but the last may name columns.
        const bool remark = is_remark(text.substr(begin, end - begin));
        const bool below = open && remarks && !remark && text[blocks.back().start.back()] == '#';
        open = open && remark == remarks;
        remarks = remark;
        if (!open) blocks.emplace_back();
        if (below) {
            Block& above = blocks[blocks.size() - 2];
            blocks.back().start.push_back(above.start.back());
            blocks.back().end.push_back(above.end.back());
            above.start.pop_back();
            above.end.pop_back();
            if (above.lines() == 0) blocks.erase(blocks.end() - 2);
        }
        open = true;
        blocks.back().start.push_back(begin);
        blocks.back().end.push_back(end);
    });
    return blocks;
}

void push(TableLayout& layout, std::size_t start, std::size_t end, RowRole role, std::int32_t head,
          std::int32_t table) {
    layout.start.push_back(static_cast<std::int64_t>(start));
    layout.end.push_back(static_cast<std::int64_t>(end));
    layout.role.push_back(role);
    layout.head.push_back(head);
    layout.table.push_back(table);
    layout.block.push_back(static_cast<std::int32_t>(layout.borders.size()) - 1);
}

std::size_t first_written(View text, std::size_t start, std::size_t end) {
    while (start < end && blank(text[start])) ++start;
    return start;
}

void lay_columns(View text, bool header, TableLayout& layout) {
    std::unordered_map<std::string, std::int32_t> tables;
    for (const Block& block : blocks_of(text)) {
        Borders borders = borders_of(text, block);
        const bool is_table =
            block.lines() >= kFewestRows && borders.size() >= 2 && !is_remark(line_of(text, block, block.lines() - 1));
        Heading heading = is_table ? heading_of(text, block, borders) : Heading{block.lines(), 0};
        if (!header && is_table) heading.header = 0;
        std::string name = std::to_string(borders.size());
        for (std::size_t line = heading.text; line < heading.text + heading.header; ++line)
            name.append(1, '\n').append(line_of(text, block, line));
        layout.borders.push_back(std::move(borders.columns));
        layout.words.push_back(borders.words);
        const std::int32_t next = layout.tables;
        const std::int32_t table = is_table ? tables.try_emplace(name, next).first->second : -1;
        if (table == next) ++layout.tables;
        std::int32_t head = -1;
        for (std::size_t line = 0; line < block.lines(); ++line) {
            const bool in_head = line >= heading.text && line < heading.text + heading.header;
            RowRole role = line < heading.text ? RowRole::kText : in_head ? RowRole::kHead : RowRole::kRow;
            if (!in_head && is_rule(line_of(text, block, line))) role = RowRole::kRule;
            const auto row = static_cast<std::int32_t>(layout.size());
            push(layout, block.start[line], block.end[line], role, line < heading.text ? -1 : head, table);
            if (in_head) head = row;
        }
    }
}

void lay_delimited(View text, bool header, TableLayout& layout) {
    layout.borders.emplace_back();
    layout.words.push_back(0);
    layout.tables = 1;
    const bool pipes = layout.delimiter == '|';
    for (std::size_t at = 0; at < text.size();) {
        check_cancelled();
        const std::size_t start = at;
        const std::size_t end =
            read_delimited(text, at, layout.delimiter, [](std::size_t, std::size_t, std::size_t) {});
        if (first_written(text, start, end) == end) continue;
        const View line = text.substr(start, end - start);
        const bool rule = pipes && is_rule(line);
        const bool words = pipes && !rule && line.find('|') == View::npos;
        push(layout, start, end, rule ? RowRole::kRule : words ? RowRole::kText : RowRole::kRow, -1, 0);
    }
    const std::size_t size = layout.size();
    if (!header || size == 0) return;
    std::size_t above = 0;  // lines of words above the header
    while (above < size && layout.role[above] == RowRole::kText) ++above;
    std::size_t heads = above > 0 ? above + 1 : header_rows(text, layout);
    for (std::size_t row = std::min<std::size_t>(size, above + 3); pipes && row-- > above;) {
        if (layout.role[row] != RowRole::kRule) continue;
        heads = row + 1;
        break;
    }
    std::int32_t head = -1;
    for (std::size_t row = 0; row < size; ++row) {
        layout.head[row] = head;
        if (row < above || row >= heads || is_border(row_of(text, layout, row)))
            continue;  // boxes are drawn where there is room
        layout.role[row] = RowRole::kHead;
        head = static_cast<std::int32_t>(row);
    }
}

char delimiter_of(View text) {
    const View looked = text.substr(0, kLooked);
    std::size_t lines = 0;
    std::size_t piped = 0;
    std::size_t ruled = 0;
    each_line(looked, [&](std::size_t begin, std::size_t end) {
        begin = first_written(looked, begin, end);
        if (begin == end) return;
        const View line = looked.substr(begin, end - begin);
        ++lines;
        const bool rule = is_rule(line) && line.find('+') != View::npos;
        if (line[0] == '|' || rule) ++piped;
        if (rule && lines == 2) ++ruled;
    });
    if (lines > 0 && (2 * piped > lines || ruled > 0)) return '|';
    const auto found = detect::look_for_table(looked);
    if (found.delimiter != 0 && found.agreement >= 0.8F) return found.delimiter;
    if (found.agreement < 0.5F && look_for_columns(looked) >= 0.3F) return kColumns;
    return found.delimiter != 0 ? found.delimiter : ',';
}

}  // namespace

TableLayout table_layout(View text, char delimiter, bool header) {
    TableLayout layout;
    layout.delimiter = delimiter != 0 ? delimiter : delimiter_of(text);
    if (layout.delimiter == kColumns) {
        lay_columns(text, header, layout);
    } else {
        lay_delimited(text, header, layout);
    }
    return layout;
}

void read_cells(View text, const TableLayout& layout, std::size_t row, std::vector<TableCell>& cells) {
    cells.clear();
    if (layout.delimiter == kColumns) {
        const auto block = static_cast<std::size_t>(layout.block[row]);
        if (layout.words[block] != 0) {
            cells_by_words(row_of(text, layout, row), layout.words[block], cells);
        } else {
            cells_by_borders(row_of(text, layout, row), layout.borders[block], cells);
        }
    } else {
        const View line = row_of(text, layout, row);
        std::size_t at = 0;
        read_delimited(line, at, layout.delimiter, [&](std::size_t column, std::size_t start, std::size_t end) {
            if (column < kMostCells) cells.push_back({column, trimmed(line.substr(start, end - start))});
        });
    }
}

namespace {

// Whether lines are rows and no sentences made from one mould: they do not end like sentences, and at most half of the
// columns are the same everywhere. Columns that are words need more: three of one kind, one of which tells something.
bool are_rows(View text, const Block& block, const Borders& borders) {
    struct Column {
        std::size_t cells = 0, numbers = 0;
        std::vector<View> values;
    };
    std::vector<Column> columns(borders.size());
    std::size_t sentences = 0;
    std::vector<TableCell> cells;
    std::size_t lines = 0;
    const std::size_t stop = std::min(block.lines(), kSampledLines);
    for (std::size_t line = 0; line < stop; ++line) {
        const View view = line_of(text, block, line);
        if (is_rule(view)) continue;
        ++lines;
        // Of words, lines that end with fields of their own: "(rw,relatime)", "(rows=9 loops=1)".
        const View last = borders.words != 0 && view.back() == ')' ? view.substr(view.rfind('(') + 1) : View();
        const bool fields = last.find_first_of(",=") != View::npos;
        sentences += fields || View(".!?,;:{}").find(view.back()) != View::npos ? 1U : 0U;
        cells_in(view, borders, cells);
        for (const TableCell& cell : cells) {
            Column& column = columns[cell.column];
            ++column.cells;
            column.numbers += is_numeric(cell.value) ? 1U : 0U;
            column.values.push_back(cell.value);
        }
    }
    std::size_t same = 0;
    std::size_t telling = 0;
    std::size_t constant = 0;
    for (std::size_t number = 0; number < columns.size(); ++number) {
        Column& column = columns[number];
        std::sort(column.values.begin(), column.values.end());
        const auto last = std::unique(column.values.begin(), column.values.end());
        const auto different = static_cast<std::size_t>(last - column.values.begin());
        constant += different <= 1 || 20 * different < lines ? 1U : 0U;
        if (number + 1 == columns.size()) continue;  // the rest of a line
        if (10 * std::max(column.numbers, column.cells - column.numbers) < 9 * lines) continue;
        ++same;
        telling += 10 * column.numbers >= 9 * lines || 4 * different <= lines ? 1U : 0U;
    }
    if (2 * sentences > lines) return false;
    return borders.words == 0 || (same >= 3 && telling >= 1 && 2 * constant <= columns.size());
}

}  // namespace

float look_for_columns(View text) {
    std::size_t lines = 0;
    std::size_t kept = 0;
    std::size_t parted = 0;  // with more than a space within, without which no columns are seen
    each_line(text, [&](std::size_t begin, std::size_t end) {
        const View line = text.substr(begin, end - begin);
        if (line.empty()) return;
        ++lines;
        kept += line.starts_with('|') || line.starts_with("+-") ? 1U : 0U;
        const std::size_t first = line.find_first_not_of(' ');
        const bool two =
            first != View::npos && (line.find("  ", first) != View::npos || line.find('\t', first) != View::npos);
        parted += two || line.find_first_not_of("-=+ ") == View::npos ? 1U : 0U;
    });
    if (lines >= kFewestRows && 5 * kept > 4 * lines) return static_cast<float>(kept) / static_cast<float>(lines);
    if (3 * parted < lines || detect::says_who(text)) return 0;
    lines = kept = 0;
    for (const Block& block : blocks_of(text)) {
        lines += block.lines();
        if (block.lines() < kFewestRows) continue;
        const Borders borders = borders_of(text, block);
        if (borders.size() < 3) continue;
        if (!are_rows(text, block, borders)) continue;
        const Heading heading = heading_of(text, block, borders);
        std::size_t clean = 0;
        std::size_t filled = 0;
        std::vector<TableCell> cells;
        for (std::size_t line = heading.text; line < block.lines(); ++line) {
            const View view = line_of(text, block, line);
            if (is_rule(view)) {
                ++kept;
                continue;
            }
            cells_in(view, borders, cells);
            clean += keeps_to(view, borders) ? 1U : 0U;
            filled += 2 * cells.size() > borders.size() ? 1U : 0U;
        }
        const std::size_t rows = block.lines() - heading.text;
        if (10 * clean >= 7 * rows && 10 * filled >= 7 * rows) kept += std::min(clean, filled);
    }
    return lines < kFewestRows ? 0 : static_cast<float>(kept) / static_cast<float>(lines);
}

namespace {

bool is_amount(std::string_view cell) {
    if (cell.find_first_of("0123456789") == std::string_view::npos) return false;
    const bool year = cell.size() == 4 && std::all_of(cell.begin(), cell.end(), ascii_digit) &&
                      (cell.starts_with("19") || cell.starts_with("20"));
    const auto of_number = [](char byte) {
        return ascii_digit(byte) || std::string_view("$%()+-.,: /").find(byte) != std::string_view::npos;
    };
    return !year && std::all_of(cell.begin(), cell.end(), of_number);
}

}  // namespace

std::size_t header_rows(std::string_view text, const TableLayout& layout) {
    std::vector<TableCell> cells;
    std::vector<bool> named(kMostCells, false);
    std::size_t columns = 0;
    const auto name_columns = [&] {
        for (const TableCell& cell : cells) {
            if (!cell.value.empty()) named[cell.column] = true;
            columns = std::max(columns, cell.column + 1);
        }
    };
    read_cells(text, layout, 0, cells);
    name_columns();
    std::size_t rows = 1;
    while (rows < kMostHeaderRows && rows + 1 < layout.size() && layout.role[rows] == RowRole::kRow && columns > 2) {
        read_cells(text, layout, rows, cells);
        std::size_t nameless = 0, filled = 0;
        for (std::size_t column = 1; column < columns; ++column) nameless += named[column] ? 0U : 1U;
        bool amounts = false, any = false;
        for (const TableCell& cell : cells) {
            amounts = amounts || is_amount(cell.value);
            any = any || !cell.value.empty();
            if (cell.column > 0 && cell.column < columns && !named[cell.column] && !cell.value.empty()) ++filled;
        }
        const bool half = 2 * nameless >= columns - 1;
        const bool begins = !cells.empty() && !cells.front().value.empty();
        if (amounts || !any || (begins ? !half || filled < nameless : named[0] && !half)) break;
        name_columns();
        ++rows;
    }
    if (rows == 1) return 1;
    read_cells(text, layout, rows, cells);
    return cells.empty() || cells.front().value.empty() ? 1 : rows;
}

namespace {

// The columns of tables, by place.
class Columns {
  public:
    explicit Columns(std::size_t tables) : by_place_(tables) {
        for (std::size_t table = 0; table < tables; ++table) values.add_list();
    }

    std::size_t of(std::size_t table, const TableCell& cell, const std::vector<std::string>& names) {
        std::vector<std::size_t>& places = by_place_[table];
        for (std::size_t place = places.size(); place <= cell.column; ++place)
            places.push_back(values.add_column(table, place < names.size() ? names[place] : std::string()));
        return places[cell.column];
    }

    RecordColumns values;

  private:
    std::vector<std::vector<std::size_t>> by_place_;
};

}  // namespace

TableRows table_rows(std::string_view text, char delimiter, bool header) {
    TableRows rows;
    rows.layout = table_layout(text, delimiter, header);
    const TableLayout& layout = rows.layout;
    rows.standing.resize(layout.size());
    Columns columns(static_cast<std::size_t>(layout.tables));
    std::vector<TableCell> cells;
    const auto each_record = [&](auto each) {
        for (std::size_t row = 0; row < layout.size(); ++row) {
            check_cancelled();
            if (layout.role[row] != RowRole::kRow || layout.table[row] < 0) continue;
            read_cells(text, layout, row, cells);
            each(row, static_cast<std::size_t>(layout.table[row]));
        }
    };
    std::vector<std::vector<std::string>> names(static_cast<std::size_t>(layout.tables));
    for (std::size_t row = 0; row < layout.size(); ++row) {
        if (layout.role[row] != RowRole::kHead || layout.table[row] < 0) continue;
        std::vector<std::string>& of_table = names[static_cast<std::size_t>(layout.table[row])];
        read_cells(text, layout, row, cells);
        for (const TableCell& cell : cells) {
            if (cell.column >= of_table.size()) of_table.resize(cell.column + 1);
            if (of_table[cell.column].empty()) of_table[cell.column] = cell.value;
        }
    }
    std::vector<std::int32_t> list;
    std::vector<std::size_t> record_rows;
    each_record([&](std::size_t row, std::size_t table) {
        columns.values.add_record(table);
        list.push_back(static_cast<std::int32_t>(table));
        record_rows.push_back(row);
        for (const TableCell& cell : cells) columns.values.add(columns.of(table, cell, names[table]), cell.value);
    });
    columns.values.settle();
    Standing standing(list.size());
    std::size_t record = 0;
    each_record([&](std::size_t, std::size_t table) {
        for (const TableCell& cell : cells) {
            std::uint64_t reason = 0;
            const float worth = columns.values.worth(columns.of(table, cell, names[table]), cell.value, &reason);
            standing.add(record, worth, reason);
        }
        ++record;
    });
    const std::vector<float> found = standing.settle(list, static_cast<std::size_t>(layout.tables));
    for (std::size_t i = 0; i < found.size(); ++i) rows.standing[record_rows[i]] = found[i];
    return rows;
}

namespace {

constexpr float kMostly = 0.5F, kInColumns = 0.9F;
constexpr std::size_t kLookedIfSure = 3072;  // bytes of a text that is surely something else

}  // namespace

detect::Detection table_or(detect::Detection look, std::span<const std::string_view> pieces) {
    using enum detect::ContentKind;
    if (look.kind != prose && look.kind != markdown && look.kind != code && look.kind != tool_output) return look;
    if (look.certain) return look;  // code whose literals stand in columns
    for (const std::string_view piece : pieces) {
        if (piece.find("\n```") != std::string_view::npos || piece.find("\n~~~") != std::string_view::npos) return look;
    }
    if (pieces.empty()) return look;
    if (look.kind == prose && detect::says_who(pieces[0])) return {log, detect::Language::none, kSure};
    const bool sure = look.confidence >= kSure && look.kind != prose;
    const float columns = look_for_columns(sure ? pieces[0].substr(0, kLookedIfSure) : pieces[0]);
    if (columns < (sure ? kInColumns : kMostly) || !is_lined(pieces[0])) return look;
    return {table, detect::Language::none, std::max(columns, kSure)};
}

}  // namespace tersely::content
