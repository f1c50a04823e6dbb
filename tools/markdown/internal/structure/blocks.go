package structure

// A Kind says what a block is.
type Kind uint8

// The kinds of blocks. A table begins with its header and has a row a line.
const (
	ParagraphBlock Kind = iota + 1
	HeadingBlock
	RuleBlock
	FenceBlock
	IndentedBlock // code
	HTMLBlock
	CommentBlock // between lines of %%
	MathBlock    // between lines of $$
	TableBlock
	QuoteBlock // a callout too
	ListBlock
	ItemBlock
	RowBlock // of a table; only ids name it
)

// A Block is a part of a page. Quotes, lists and items hold others.
type Block struct {
	Kind   Kind
	Parent int // index of the block that holds it; -1: none
	// Start is where it begins, behind what belongs to the blocks that hold it. End is
	// that of its last line, without the line break.
	Start, End  int
	First, Last int  // indexes of its lines
	Closed      bool // of fences, comments, maths and HTML: its last line ends it
}

// holdsText reports whether lines in a block are taken as they are.
func (k Kind) holdsText() bool {
	switch k {
	case FenceBlock, IndentedBlock, HTMLBlock, CommentBlock, MathBlock:
		return true
	default:
		return false
	}
}

// isParagraph reports whether a line may go on with a block without a mark of its own.
func (k Kind) isParagraph() bool { return k == ParagraphBlock || k == TableBlock }
