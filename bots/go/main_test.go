package main

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/golang/protobuf/proto"
	"github.com/golang/protobuf/ptypes"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "dragontooth/v1"
)

// service is one whose Play streams are served by a function.
type service struct {
	pb.GameServiceServer
	serve func(pb.GameService_PlayServer) error
}

func (s service) Play(stream pb.GameService_PlayServer) error { return s.serve(stream) }

// start starts a service and returns its address.
func start(t *testing.T, serve func(pb.GameService_PlayServer) error) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	pb.RegisterGameServiceServer(server, service{serve: serve})
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return listener.Addr().String()
}

func decide(stream pb.GameService_PlayServer, matchID string) error {
	decision := &pb.Decision{MatchId: matchID, DecisionId: 1, LegalActions: []string{"one", "two", "three", "four"}}
	return stream.Send(&pb.PlayResponse{Response: &pb.PlayResponse_Decision{Decision: decision}})
}

// refuse refuses the next request, which it returns, for the time being.
func refuse(stream pb.GameService_PlayServer, delay time.Duration) (*pb.PlayRequest, error) {
	request, err := stream.Recv()
	if err != nil {
		return nil, err
	}
	info := &errdetails.RetryInfo{RetryDelay: ptypes.DurationProto(delay)}
	refusal, err := status.New(codes.ResourceExhausted, "too fast").WithDetails(info)
	if err != nil {
		return nil, err
	}
	refused := &pb.PlayResponse_Refused{MatchId: request.GetAnswer().GetMatchId(), Status: refusal.Proto()}
	return request, stream.Send(&pb.PlayResponse{Response: &pb.PlayResponse_Refused_{Refused: refused}})
}

func TestSendsAgainWhatIsRefusedForNow(t *testing.T) {
	streams, heard := 0, make(chan *pb.PlayRequest, 3)
	name := start(t, func(stream pb.GameService_PlayServer) error {
		streams++
		if _, err := stream.Recv(); err != nil { // The start.
			return err
		}
		for _, refused := range []struct {
			matchID string
			delay   time.Duration
		}{{"slow", time.Hour}, {"quick", time.Millisecond}} {
			if err := decide(stream, refused.matchID); err != nil {
				return err
			}
			request, err := refuse(stream, refused.delay)
			if err != nil {
				return err
			}
			heard <- request
		}
		again, err := stream.Recv()
		if err != nil {
			return err
		}
		heard <- again
		<-stream.Context().Done()
		return nil
	})
	addresses, err := parse(name)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() {
		_, err := addresses[0].play(ctx, map[string]*pb.PlayRequest{})
		ended <- err
	}()
	slow, quick, again := <-heard, <-heard, <-heard
	if slow.GetAnswer().GetMatchId() != "slow" || quick.GetAnswer().GetMatchId() != "quick" || !proto.Equal(quick, again) {
		t.Errorf("it sent %v, %v and %v", slow, quick, again)
	}
	stop()
	if err := <-ended; status.Code(err) != codes.Canceled || streams != 1 {
		t.Errorf("%d streams ended with %v", streams, err)
	}
}

func TestReadsAddresses(t *testing.T) {
	addresses, err := parse("127.0.0.1:1, https://play.example")
	if err != nil || len(addresses) != 2 || addresses[0].host != "127.0.0.1:1" || addresses[1].host != "play.example:443" {
		t.Errorf("%v, %v", addresses, err)
	}
	for _, wrong := range []string{"localhost", "127.0.0.1:1,", "127.0.0.1:1,192.0.2.1:2", "ftp://127.0.0.1:1"} {
		if addresses, err := parse(wrong); err == nil {
			t.Errorf("%s: %v", wrong, addresses)
		}
	}
}
